//! Scheme and Emacs Lisp.

use super::check;
use aegish_profiles::Lang;

#[test]
fn scheme_and_emacs() {
    check(
        Lang::Scheme,
        &[
            ("(system \"/bin/sh\")", &["shell /bin/sh"]),
            ("(system* \"ls\" \"-l\")", &["argv ls|-l"]),
            ("(define c (string-append \"i\" \"d\")) (system c)", &["shell id"]),
            ("(let ((c \"id\")) (system c))", &["shell id"]),
            ("(display (call-with-input-file \"/etc/hosts\" read-string))", &["read /etc/hosts"]),
            ("(delete-file \"/tmp/x\")", &["delete /tmp/x"]),
            ("(display \"(system 1)\")", &["print (system 1)"]),
            ("; (system \"x\")", &[]),
            ("'(system \"x\")", &[]),
            ("(eval '(system \"id\"))", &["shell id"]),
        ],
    );
    check(
        Lang::Emacs,
        &[
            ("(term \"/bin/sh\")", &["shell /bin/sh"]),
            ("(shell-command \"id\")", &["shell id"]),
            ("(call-process \"ls\" nil t nil \"-l\")", &["argv ls|-l"]),
            ("(start-process \"n\" \"b\" \"sh\" \"-c\" \"id\")", &["argv sh|-c|id"]),
            ("(princ (shell-command-to-string (concat \"i\" \"d\")))", &["shell id"]),
            (
                "(with-temp-buffer (insert-file-contents \"/etc/hosts\") (princ (buffer-string)))",
                &["read /etc/hosts"],
            ),
            ("(write-region \"DATA\" nil \"/tmp/x\")", &["write /tmp/x <- DATA"]),
            ("(delete-directory \"/srv/x\" t)", &["tree /srv/x"]),
            ("(load-file \"/srv/x.el\")", &["script emacs /srv/x.el"]),
            ("(message \"hi\")", &["print hi\n"]),
            ("(setq x 1)", &[]),
        ],
    );
}
