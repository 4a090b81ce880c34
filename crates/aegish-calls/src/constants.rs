//! Values of Python's libraries that are texts.

/// Constants of libraries with a known text.
#[must_use]
pub fn constant(path: &str) -> Option<&'static str> {
    Some(match path {
        "sys.executable" => "python3",
        "os.sep" | "os.path.sep" => "/",
        "os.linesep" => "\n",
        "os.devnull" => "/dev/null",
        "os.curdir" => ".",
        "os.pardir" => "..",
        "os.name" => "posix",
        "os.pathsep" => ":",
        "sys.platform" => "linux",
        "string.ascii_lowercase" => "abcdefghijklmnopqrstuvwxyz",
        "string.ascii_uppercase" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "string.ascii_letters" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "string.digits" => "0123456789",
        "string.hexdigits" => "0123456789abcdefABCDEF",
        "string.punctuation" => "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
        "string.printable" => {
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\x0b\x0c"
        }
        _ => return None,
    })
}
