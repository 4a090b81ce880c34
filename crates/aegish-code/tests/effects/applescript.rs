//! AppleScript.

use super::{check_in, effects_in};
use aegish_code_parsers::language::Language::AppleScript;

fn check(table: &[(&str, &[&str])]) {
    check_in(AppleScript, table);
}

#[test]
fn commands_are_found_in_every_spelling() {
    check(&[
        ("DO SHELL SCRIPT \"id\"", &["shell id"]),
        ("do shell script ¬\n  \"id\"", &["shell id"]),
        ("do shell script (\"i\" & \"d\")", &["shell id"]),
        ("set c to \"i\"\nset c to c & \"d\"\ndo shell script c", &["shell id"]),
        ("do shell script \"echo \" & quoted form of \"a b\"", &["shell echo 'a b'"]),
        ("do shell script (character id {105, 100})", &["shell id"]),
        ("do shell script (ASCII character 105) & (ASCII character 100)", &["shell id"]),
        ("do shell script (reverse of characters of \"di\") as text", &["shell id"]),
        (
            "set AppleScript's text item delimiters to \"-\"\nset p to text items of \"i-d\"\nset AppleScript's text item delimiters to \"\"\ndo shell script (p as text)",
            &["shell id"],
        ),
        ("do shell script text 2 thru 3 of \"xidx\"", &["shell id"]),
        ("do shell script (word 2 of \"x id\")", &["shell id"]),
        ("do shell script item 2 of {\"a\", \"id\"}", &["shell id"]),
        ("do shell script last item of {\"a\", \"id\"}", &["shell id"]),
        ("set r to {cmd:\"id\"}\ndo shell script cmd of r", &["shell id"]),
        ("set r to {cmd:\"id\"}\ndo shell script r's cmd", &["shell id"]),
        ("\"id\"\ndo shell script result", &["shell id"]),
        ("set x to \"id\" -- set x to \"ls\"\ndo shell script x", &["shell id"]),
        ("(* do shell script \"a\" (* b *) *)\ndo shell script \"id\"", &["shell id"]),
        ("tell me to do shell script \"id\"", &["shell id"]),
        ("if (do shell script \"id\") is \"root\" then beep", &["shell id"]),
        ("run script \"do shell script \\\"id\\\"\"", &["shell id"]),
        ("run script \"do shell \" & \"script \\\"id\\\"\"", &["shell id"]),
        ("run script (read POSIX file \"/srv/x\")", &["read /srv/x", "script osascript /srv/x"]),
        ("run script POSIX file \"/srv/x.scpt\"", &["script osascript /srv/x.scpt"]),
        ("«event sysodsct» \"do shell script \\\"id\\\"\"", &["shell id"]),
        ("«event abcdefgh» \"id\"", &["hidden"]),
        (
            "current application's NSTask's launchedTaskWithLaunchPath:\"/bin/sh\" arguments:{\"-c\", \"id\"}",
            &["argv /bin/sh|-c|id"],
        ),
        (
            "use framework \"Foundation\"\nset t to current application's NSTask's alloc()'s init()\nt's setLaunchPath:\"/bin/sh\"",
            &["hidden"],
        ),
        ("tell application \"Finder\" to restart", &["argv shutdown|-r|now"]),
    ]);
}

#[test]
fn branches_loops_and_handlers_are_followed() {
    check(&[
        (
            "if x then\nset t to \"/\"\nelse\nset t to \"build\"\nend if\ndo shell script \"rm -rf \" & t",
            &["shell rm -rf /", "shell rm -rf build"],
        ),
        (
            "set t to \"build\"\nif (count argv) > 1 then set t to \"/\"\ndo shell script \"rm -rf \" & t",
            &["shell rm -rf /", "shell rm -rf build"],
        ),
        (
            "if a then\nset c to \"x\"\nelse if b then\nset c to \"y\"\nelse\nset c to \"z\"\nend if\ndo shell script c",
            &["shell x", "shell y", "shell z"],
        ),
        (
            "repeat with c in {\"id\", \"who\"}\ndo shell script c\nend repeat",
            &["shell id", "shell who"],
        ),
        (
            "repeat with i from 1 to 2\ndo shell script \"echo \" & i\nend repeat",
            &["shell echo 1", "shell echo 2"],
        ),
        ("repeat 2 times\ndo shell script \"id\"\nend repeat", &["shell id"]),
        ("repeat while true\ndo shell script \"id\"\nexit repeat\nend repeat", &["shell id"]),
        ("repeat until done\ndo shell script \"id\"\nend repeat", &["shell id"]),
        ("on f(c)\ndo shell script c\nend f\nf(\"id\")", &["shell id"]),
        ("to f(a, b)\nreturn a & b\nend f\ndo shell script f(\"i\", \"d\")", &["shell id"]),
        ("on f(c)\ndo shell script c\nend f\nmy f(\"id\")", &["shell id"]),
        ("on run\ndo shell script \"id\"\nend run", &["shell id"]),
        ("on run argv\ndo shell script item 1 of argv\nend run", &["shell first-arg"]),
        ("on idle\ndo shell script \"id\"\nend idle", &["shell id"]),
        ("property c : \"id\"\non f()\ndo shell script c\nend f\nf()", &["shell id"]),
        (
            "try\ndo shell script \"a\"\non error m number n\ndo shell script \"b\"\nend try",
            &["shell a", "shell b"],
        ),
        ("try\nerror \"id\"\non error m\ndo shell script m\nend try", &["shell id"]),
        ("set {a, b} to {\"i\", \"d\"}\ndo shell script a & b", &["shell id"]),
        ("copy \"id\" to c\ndo shell script c", &["shell id"]),
        ("set l to {}\nset end of l to \"id\"\ndo shell script (item 1 of l)", &["shell id"]),
        (
            "script s\non go()\ndo shell script \"id\"\nend go\nend script\ntell s to go()",
            &["shell id"],
        ),
        ("with timeout of 5 seconds\ndo shell script \"id\"\nend timeout", &["shell id"]),
        ("considering case\ndo shell script \"id\"\nend considering", &["shell id"]),
        (
            "tell application \"Terminal\"\nactivate\nif not (exists window 1) then reopen\ndo script \"id\" in front window\nend tell",
            &["shell id"],
        ),
    ]);
}

#[test]
fn files_are_found() {
    check(&[
        ("set p to (path to home folder)\nread file (p & \"x\")", &["read /home/ann/x"]),
        (
            "set p to POSIX path of (path to desktop)\ndo shell script \"ls \" & quoted form of p",
            &["shell ls '/home/ann/Desktop/'"],
        ),
        ("tell application \"Finder\" to delete POSIX file \"/srv/x\"", &["tree /srv/x"]),
        ("tell application \"Finder\" to move POSIX file \"/srv/x\" to trash", &["tree /srv/x"]),
        (
            "tell application \"Finder\" to duplicate POSIX file \"/srv/a\" to POSIX file \"/srv/b\"",
            &["copy /srv/a -> /srv/b"],
        ),
        ("delete file \"x\" of folder \"Macintosh HD:srv\"", &["tree /srv/x"]),
    ]);
}

#[test]
fn what_cannot_be_read_is_open() {
    check(&[
        ("do shell script \"id", &["hidden"]),
        ("do shell script \"id\"\nend tell", &["shell id", "hidden"]),
        ("if x then\ndo shell script \"id\"", &["hidden"]),
        ("do shell script \"id\"\n)", &["shell id", "hidden"]),
        ("(* never ends", &["hidden"]),
    ]);
}

#[test]
fn nesting_and_size_are_bounded() {
    let deep = format!("set x to {}1{}", "(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(effects_in(AppleScript, &deep), ["hidden"]);
    let deep = format!("{}beep", "if x then ".repeat(10_000));
    assert_eq!(effects_in(AppleScript, &deep), ["hidden"]);
    let words = "set ".repeat(100_000);
    assert_eq!(effects_in(AppleScript, &words), ["hidden"]);
    let long = "set x to 1\n".repeat(20_000);
    assert!(effects_in(AppleScript, &long).iter().all(|effect| effect == "hidden"));
}

#[test]
fn harmless_scripts_pass() {
    let scripts = [
        "display notification \"Build done\" with title \"make\"",
        "display dialog \"Continue?\" buttons {\"No\", \"Yes\"} default button 2 with icon caution",
        "set answer to text returned of (display dialog \"Name\" default answer \"\")",
        "tell application \"Safari\" to get URL of front document",
        "tell application \"Google Chrome\" to get URL of active tab of front window",
        "tell application \"Finder\" to get name of every item of desktop",
        "tell application \"System Events\" to get name of every process whose background only is false",
        "tell application \"System Events\" to set frontmost of process \"Safari\" to true",
        "tell application \"Music\" to playpause",
        "tell application \"Music\"\nif player state is playing then\npause\nelse\nplay\nend if\nend tell",
        "tell application \"Spotify\" to next track",
        "set volume output volume 30",
        "set volume with output muted",
        "output volume of (get volume settings)",
        "tell application \"System Events\" to tell appearance preferences to set dark mode to not dark mode",
        "set the clipboard to \"hello\"",
        "the clipboard as text",
        "say \"hello\" using \"Alex\"",
        "tell application \"Finder\"\nset f to make new folder at desktop with properties {name:\"x\"}\nend tell",
        "tell application \"Finder\" to open (path to documents folder)",
        "tell application \"Mail\"\nset m to make new outgoing message with properties {subject:\"a\", content:\"b\", visible:true}\nend tell",
        "tell application \"Calendar\" to get name of calendars",
        "tell application \"Notes\" to make new note at folder \"Notes\" with properties {body:\"x\"}",
        "tell application \"Reminders\"\nmake new reminder with properties {name:\"milk\"}\nend tell",
        "current date",
        "set d to (current date) + 2 * days\nday of d",
        "choose file with prompt \"Which?\" of type {\"public.text\"}",
        "choose from list {\"a\", \"b\"} with title \"pick\"",
        "tell application \"Terminal\" to activate",
        "tell application \"iTerm2\" to get name of current window",
        "on factorial(n)\nif n < 2 then return 1\nreturn n * factorial(n - 1)\nend factorial\nfactorial(5)",
        "set total to 0\nrepeat with i from 1 to 10\nset total to total + i\nend repeat\nreturn total",
        "set l to {3, 1, 2}\nset n to count of l\nset f to first item of l",
        "tell application \"System Events\"\ntell process \"Safari\"\nclick menu item \"Reload Page\" of menu \"View\" of menu bar 1\nend tell\nend tell",
        "tell application \"Preview\" to close every window",
        "tell application \"Safari\" to quit",
        "if application \"Safari\" is running then tell application \"Safari\" to quit",
        "tell application \"System Events\" to return exists process \"Dock\"",
        "try\ntell application \"Finder\" to eject disk \"USB\"\non error errMsg\nlog errMsg\nend try",
        "use AppleScript version \"2.4\"\nuse scripting additions\ndisplay alert \"hi\" message \"there\" as warning",
        "open location \"https://example.org\"",
        "get bounds of window of desktop",
        "tell application \"Keynote\" to show next",
    ];
    let table = scripts.map(|script| (script, [].as_slice()));
    check(&table);
}

#[test]
fn files_that_are_looked_at_and_volumes() {
    check(&[
        ("info for POSIX file \"/etc/hosts\"", &[]),
        ("size of (info for POSIX file \"/etc/hosts\")", &[]),
        ("mount volume \"afp://h.example/share\"", &["fetch afp://h.example/share"]),
        ("scripting components", &[]),
    ]);
}
