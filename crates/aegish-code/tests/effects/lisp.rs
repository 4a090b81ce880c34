//! Emacs Lisp, Scheme, Racket and Common Lisp.

use super::{check_in, effects_in};
use aegish_code_parsers::language::Language::{EmacsLisp, Scheme};
use aegish_test_support::clock::cpu_time;
use std::time::Duration;

fn emacs(table: &[(&str, &[&str])]) {
    check_in(EmacsLisp, table);
}

fn scheme(table: &[(&str, &[&str])]) {
    check_in(Scheme, table);
}

#[test]
fn lisp_commands_are_found_in_every_spelling_of_scheme() {
    scheme(&[
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
        ("(eval (list 'system \"id\") (interaction-environment))", &["shell id"]),
        ("(eval `(system ,(string-append \"i\" \"d\")))", &["shell id"]),
        ("(eval (read (open-input-string \"(system \\\"id\\\")\")))", &["shell id"]),
        ("(eval-string \"(system \\\"id\\\")\")", &["shell id"]),
        ("(eval (read))", &["hidden"]),
        ("(define s system) (s \"id\")", &["shell id"]),
        ("((if (getenv \"X\") system display) \"id\")", &["shell id"]),
        ("(apply system (list \"id\"))", &["shell id"]),
        ("(for-each system '(\"id\" \"who\"))", &["shell id", "shell who"]),
        ("(map (lambda (c) (system c)) (list \"id\"))", &["shell id"]),
        ("((lambda (c) (system c)) \"id\")", &["shell id"]),
        (
            "(let loop ((c '(\"id\" \"who\"))) (if (pair? c) (begin (system (car c)) (loop (cdr c)))))",
            &["shell id", "shell who"],
        ),
        ("(do ((i 0 (+ i 1))) ((= i 2)) (system (number->string i)))", &["shell 0", "shell 1"]),
        ("((@ (guile) system) \"id\")", &["shell id"]),
        ("((dynamic-require 'racket/system 'system) \"id\")", &["shell id"]),
        ("(require (prefix-in s: racket/system)) (s:system \"id\")", &["shell id"]),
        ("(require (prefix-in my- racket/system)) (my-system \"id\")", &["shell id"]),
        ("(require (rename-in racket/system [system sys])) (sys \"id\")", &["shell id"]),
        ("#lang racket\n(require racket/system)\n(system \"id\")", &["shell id"]),
        ("#!/usr/bin/guile -s\n!#\n(system \"id\")", &["shell id"]),
        ("(#%app system \"id\")", &["shell id"]),
        ("(define (system2 . a) (apply system a)) (system2 \"id\")", &["shell id"]),
        ("(define (when x) (system x)) (when \"id\")", &["shell id"]),
        ("(call/cc (lambda (k) (k (system \"id\"))))", &["shell id"]),
        ("(system (list->string (list #\\i #\\d)))", &["shell id"]),
        ("(system (string #\\x69 #\\d))", &["shell id"]),
        ("(system \"\\x69;d\")", &["shell id"]),
        ("(system (string-reverse \"di\"))", &["shell id"]),
        ("(system (list-ref '(\"a\" \"id\") 1))", &["shell id"]),
        ("(system (symbol->string 'id))", &["shell id"]),
        ("(system (format #f \"~a ~a\" \"ls\" 1))", &["shell ls 1"]),
        ("(|system| \"id\")", &["shell id"]),
        ("(system . (\"id\"))", &["shell id"]),
        ("#;(system \"a\") (system \"b\")", &["shell b"]),
        ("#| (system \"a\") #| x |# |# (system \"b\")", &["shell b"]),
        ("(dynamic-wind (lambda () #f) (lambda () (system \"id\")) (lambda () #f))", &["shell id"]),
        ("(guard (e (#t (system \"id\"))) (raise 'x))", &["shell id"]),
        ("(with-handlers ([void (lambda (e) (system e))]) (raise \"id\"))", &["shell id"]),
        ("(catch #t (lambda () (error \"x\")) (lambda (k . a) (system \"id\")))", &["shell id"]),
        (
            "(parameterize ([current-directory \"/srv\"]) (system \"rm x\")) (delete-file \"y\")",
            &["chdir /srv", "shell rm x", "delete y"],
        ),
        (
            "(define p (make-parameter \"ls\")) (parameterize ([p \"id\"]) (system (p)))",
            &["shell id"],
        ),
        ("(match \"id\" [(? string? c) (system c)])", &["shell id"]),
        (
            "(case (getenv \"X\") ((\"a\") (system \"id\")) (else (system \"who\")))",
            &["shell id", "shell who"],
        ),
        ("(for ([c '(\"id\" \"who\")]) (system c))", &["shell id", "shell who"]),
        ("(system (for/fold ([s \"\"]) ([c '(\"i\" \"d\")]) (string-append s c)))", &["shell id"]),
        (
            "(define-values (sp out in err) (subprocess #f #f #f \"/bin/sh\")) (display \"id\" in)",
            &["argv /bin/sh", "shell id"],
        ),
        (
            "(define v (make-vector 2)) (define t (vector \"a\" \"b\")) (vector-set! t 0 \"id\") (system (vector-ref t 0))",
            &["shell id"],
        ),
        ("(define-macro (run c) (list 'system c)) (run \"id\")", &["shell id"]),
        ("(define-syntax run (syntax-rules () ((_ c) (system c)))) (run \"id\")", &["hidden"]),
        ("(system (cadr (command-line)))", &["shell first-arg"]),
    ]);
}

#[test]
fn lisp_common_lisp_has_names_of_functions_of_their_own() {
    scheme(&[
        ("(defun go (c) (uiop:run-program c)) (go \"id\")", &["shell id"]),
        ("(let ((list '(\"id\"))) (uiop:run-program (car (list (car list)))))", &["shell id"]),
        ("(setq X \"id\") (uiop:run-program x)", &["shell id"]),
        ("(funcall #'uiop:run-program \"id\")", &["shell id"]),
        ("(funcall 'uiop:run-program \"id\")", &["shell id"]),
        ("(funcall (intern \"RUN-PROGRAM\" :uiop) \"ls\")", &["argv ls"]),
        ("(mapcar #'uiop:run-program '(\"id\" \"who\"))", &["shell id", "shell who"]),
        ("(loop for c in '(\"id\" \"who\") do (uiop:run-program c))", &["shell id", "shell who"]),
        (
            "(loop for i from 1 to 2 collect (uiop:run-program (format nil \"a~a\" i)))",
            &["shell a1", "shell a2"],
        ),
        ("(handler-case (error \"x\") (error (e) (uiop:run-program \"id\")))", &["shell id"]),
        (
            "(defvar *c* \"ls\") (defun go () (uiop:run-program *c*)) (let ((*c* \"id\")) (go))",
            &["shell id"],
        ),
        ("(defmacro run (c) `(uiop:run-program ,c)) (run \"id\")", &["shell id"]),
        ("(uiop:run-program #.(concatenate 'string \"i\" \"d\"))", &["shell id"]),
        ("(read-from-string \"#.(uiop:run-program \\\"id\\\")\")", &["shell id"]),
        (
            "(with-open-file (s \"/tmp/x\" :direction :output :if-exists :append) (format s \"a~%\"))",
            &["append /tmp/x <- a\n"],
        ),
        ("(labels ((f (c) (uiop:run-program c))) (f \"id\"))", &["shell id"]),
        ("(let ((c \"\\i\\d\")) (uiop:run-program c))", &["shell id"]),
        (
            "(defstruct job cmd) (let ((j (make-job :cmd \"id\"))) (uiop:run-program (job-cmd j)))",
            &["hidden", "shell id"],
        ),
        ("(let ((uiop:run-program #'identity)) (uiop:run-program \"id\"))", &["shell id"]),
        ("(block nil (dolist (c '(\"id\" \"who\")) (uiop:run-program c) (return)))", &["shell id"]),
        ("(defun f (&key c) (uiop:run-program c)) (f :c \"id\")", &["shell id"]),
        ("(setf (uiop:getenv \"PATH\") \"/tmp\")", &["setenv PATH=/tmp"]),
        ("(setf (symbol-function 'run1) #'uiop:run-program) (run1 \"id\")", &["shell id"]),
    ]);
}

#[test]
fn lisp_commands_are_found_in_every_spelling_of_emacs() {
    emacs(&[
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
        ("(funcall 'shell-command \"id\")", &["shell id"]),
        ("(funcall #'shell-command \"id\")", &["shell id"]),
        ("(apply #'call-process \"ls\" nil nil nil '(\"-l\" \"-a\"))", &["argv ls|-l|-a"]),
        ("(funcall (intern (concat \"shell\" \"-command\")) \"id\")", &["shell id"]),
        ("(funcall (intern (read-string \"x\")) \"id\")", &["hidden"]),
        ("(eval '(shell-command \"id\"))", &["shell id"]),
        ("(eval (car (read-from-string \"(shell-command \\\"id\\\")\")))", &["shell id"]),
        ("(eval (read (buffer-string)))", &["hidden"]),
        ("(with-temp-buffer (insert \"(shell-command \\\"id\\\")\") (eval-buffer))", &["shell id"]),
        (
            "(with-temp-buffer (insert \"id\") (shell-command-on-region (point-min) (point-max) \"sh\"))",
            &["shell sh", "shell id"],
        ),
        (
            "(with-temp-buffer (insert \"id\") (call-process-region (point-min) (point-max) \"bash\"))",
            &["argv bash", "shell id"],
        ),
        (
            "(process-send-string (start-process \"s\" nil \"bash\") \"id\\n\")",
            &["argv bash", "shell id\n"],
        ),
        ("(defalias 'go 'shell-command) (go \"id\")", &["shell id"]),
        ("(fset 'go (lambda (c) (shell-command c))) (go \"id\")", &["shell id"]),
        ("(let ((shell-command \"x\")) (shell-command \"id\"))", &["shell id"]),
        ("(mapc #'shell-command '(\"id\" \"who\"))", &["shell id", "shell who"]),
        ("(mapc (lambda (c) (shell-command c)) (list \"id\"))", &["shell id"]),
        ("(dolist (c '(\"id\" \"who\")) (shell-command c))", &["shell id", "shell who"]),
        ("(dotimes (i 2) (shell-command (format \"a%d\" i)))", &["shell a0", "shell a1"]),
        (
            "(let ((i 0)) (while (< i 2) (shell-command (number-to-string i)) (setq i (1+ i))))",
            &["shell 0", "shell 1"],
        ),
        ("(cl-loop for c in '(\"id\") do (shell-command c))", &["shell id"]),
        (
            "(defun f (n) (when (> n 0) (shell-command (format \"a%d\" n)) (f (1- n)))) (f 2)",
            &["shell a2", "shell a1"],
        ),
        ("(shell-command (string ?i ?d))", &["shell id"]),
        ("(shell-command (concat '(105 100)))", &["shell id"]),
        ("(shell-command (mapconcat #'identity '(\"ls\" \"-l\") \" \"))", &["shell ls -l"]),
        ("(shell-command (mapconcat #'char-to-string (list 105 100) \"\"))", &["shell id"]),
        ("(shell-command (apply #'string (reverse (list ?d ?i))))", &["shell id"]),
        ("(shell-command (substring \"xidx\" 1 -1))", &["shell id"]),
        ("(shell-command (replace-regexp-in-string \"-\" \"\" \"i-d\"))", &["shell id"]),
        ("(shell-command \"\\151\\x64\")", &["shell id"]),
        ("(shell-command \"i\\\nd\")", &["shell id"]),
        ("(shell-comm\\and \"id\")", &["shell id"]),
        ("(shell-command (downcase \"ID\"))", &["shell id"]),
        ("(shell-command (nth 1 (split-string \"a id\")))", &["shell id"]),
        ("(shell-command (cdr (assoc \"k\" '((\"k\" . \"id\")))))", &["shell id"]),
        ("(shell-command (plist-get '(:a \"x\" :b \"id\") :b))", &["shell id"]),
        (
            "(let ((h (make-hash-table))) (puthash 'a \"id\" h) (shell-command (gethash 'a h)))",
            &["shell id"],
        ),
        ("(condition-case e (error \"x\") (error (shell-command \"id\")))", &["shell id"]),
        ("(unwind-protect (foo) (shell-command \"id\"))", &["shell id"]),
        ("(shell-command (catch 'x (throw 'x \"id\")))", &["shell id"]),
        ("(ignore-errors (shell-command \"id\"))", &["shell id"]),
        ("(defmacro run (c) (list 'shell-command c)) (run \"id\")", &["shell id"]),
        ("(add-hook 'kill-emacs-hook (lambda () (shell-command \"id\")))", &["shell id"]),
        ("(add-hook 'kill-emacs-hook 'go) (defun go () (shell-command \"id\"))", &["shell id"]),
        ("(run-with-timer 1 nil #'shell-command \"id\")", &["shell id"]),
        (
            "(let ((default-directory \"/srv/\")) (shell-command \"rm x\")) (delete-file \"y\")",
            &["chdir /srv/", "shell rm x", "delete y"],
        ),
        (
            "(defvar c \"ls\") (defun go () (shell-command c)) (let ((c \"id\")) (go))",
            &["shell id"],
        ),
        (
            "(setq c \"ls\") (defun go () (shell-command c)) (let ((c \"id\")) (go))",
            &["shell id", "shell ls"],
        ),
        ("(let ((shell-file-name \"/tmp/x\")) (shell-command \"id\"))", &["shell id", "hidden"]),
        (
            "(pcase (getenv \"X\") (\"a\" (shell-command \"id\")) (_ (shell-command \"who\")))",
            &["shell id", "shell who"],
        ),
        ("(shell-command (car command-line-args-left))", &["shell first-arg"]),
        (
            "(call-process \"cat\" \"/etc/hosts\" '(:file \"/tmp/o\"))",
            &["write /tmp/o <- ‹output›", "argv cat", "read /etc/hosts"],
        ),
        (
            "(make-network-process :name \"n\" :host \"peer.example\" :service 7001 :filter (lambda (p s) (shell-command s)))",
            &["connect peer.example 7001", "received"],
        ),
        ("(process-lines \"ls\" \"-l\")", &["argv ls|-l"]),
        ("(advice-add 'message :before (lambda (&rest _) (shell-command \"id\")))", &["shell id"]),
        ("(shell-command foo)", &["hidden"]),
        (
            "(with-temp-buffer (insert \"d\") (goto-char (point-min)) (insert \"i\") (shell-command (buffer-string)))",
            &["hidden"],
        ),
        ("(if (< 1 2) (shell-command \"id\") (shell-command \"who\"))", &["shell id"]),
        ("(delete-file (expand-file-name \"x\" \"/srv\"))", &["delete /srv/x"]),
    ]);
}

#[test]
fn lisp_branches_are_joined() {
    emacs(&[
        (
            "(let ((x (if (getenv \"X\") \"/\" \"b\"))) (shell-command (concat \"rm \" x)))",
            &["shell rm /", "shell rm b"],
        ),
        (
            "(setq x \"a\") (if (getenv \"X\") (setq x \"/\") (setq x \"b\")) (shell-command (concat \"rm \" x))",
            &["shell rm /", "shell rm b"],
        ),
        (
            "(setq x \"a\") (when (getenv \"X\") (setq x \"/\")) (shell-command (concat \"rm \" x))",
            &["shell rm /", "shell rm a"],
        ),
        (
            "(shell-command (cond ((getenv \"X\") \"a\") ((getenv \"Y\") \"b\") (t \"c\")))",
            &["shell a", "shell b", "shell c"],
        ),
        ("(if nil (shell-command \"id\") (message \"x\"))", &["print x\n"]),
        ("(if 0 (shell-command \"id\"))", &["shell id"]),
        (
            "(let ((x \"a\")) (let ((x \"/\")) x) (shell-command (concat \"rm \" x)))",
            &["shell rm a"],
        ),
    ]);
    scheme(&[
        (
            "(define x (if (getenv \"X\") \"/\" \"b\")) (system (string-append \"rm \" x))",
            &["shell rm /", "shell rm b"],
        ),
        ("(define x \"a\") (set! x \"/\") (system (string-append \"rm \" x))", &["shell rm /"]),
        ("(define (f x) (if (getenv \"X\") x \"b\")) (system (f \"a\"))", &["shell a", "shell b"]),
        ("(if '() (system \"id\"))", &["shell id"]),
        ("(if #f (system \"id\"))", &[]),
    ]);
}

#[test]
fn lisp_harmless_programs_of_emacs_give_nothing() {
    for code in [
        "(require 'cl-lib)\n(setq-default indent-tabs-mode nil)",
        "(package-initialize)",
        "(add-to-list 'load-path \"~/.emacs.d/lisp\")",
        "(defun my-add (a b) \"Add.\" (interactive) (+ a b)) (my-add 1 2)",
        "(let ((xs '(1 2 3))) (mapcar (lambda (x) (* x x)) xs))",
        "(with-temp-buffer (insert \"abc\") (goto-char (point-min)) (while (search-forward \"b\" nil t) (replace-match \"c\")) (buffer-string))",
        "(dolist (x '(1 2 3)) (setq y x))",
        "(cl-loop for i from 1 to 10 sum i)",
        "(let* ((a 1) (b (+ a 1))) (list a b))",
        "(defvar my-var nil \"Doc.\") (setq my-var (cons 1 my-var))",
        "(global-set-key (kbd \"C-c f\") #'find-something)",
        "(add-hook 'prog-mode-hook #'display-line-numbers-mode)",
        "(condition-case err (/ 1 0) (error (list err)))",
        "(org-mode) (goto-char 1)",
        "(cl-defun f (&key (a 1) b) (list a b)) (f :a 2)",
        "(let ((s (split-string \"a b c\"))) (string-join s \",\"))",
        "(pcase '(1 2) (`(,a ,b) (+ a b)) (_ nil))",
        "(use-package magit :ensure t :bind (\"C-x g\" . magit-status))",
        "(defmacro my-when (c &rest body) `(if ,c (progn ,@body))) (my-when t 1 2)",
        "(setq a '(1 . 2)) (car a) (cdr a)",
        "(string-match \"\\\\(a\\\\)b\" \"ab\")",
        "(unless (fboundp 'foo) (defun foo () nil))",
        "(save-excursion (goto-char (point-max)) (forward-line -1))",
        "(vconcat [1 2] [3])",
        "(seq-filter #'cl-evenp '(1 2 3 4))",
    ] {
        assert_eq!(effects_in(EmacsLisp, code), Vec::<String>::new(), "{code}");
    }
}

#[test]
fn lisp_harmless_programs_of_scheme_give_nothing() {
    for code in [
        "(define (fact n) (if (= n 0) 1 (* n (fact (- n 1))))) (fact 10)",
        "(define-syntax swap! (syntax-rules () ((_ a b) (let ((t a)) (set! a b) (set! b t)))))",
        "(use-modules (ice-9 format) (srfi srfi-1)) (fold + 0 '(1 2 3))",
        "#lang racket/base\n(require racket/list)\n(define xs (list 1 2 3))\n(map add1 xs)",
        "(let loop ((i 0)) (when (< i 10) (loop (+ i 1))))",
        "(define-record-type point (make-point x y) point? (x point-x)) (point-x (make-point 1 2))",
        "(let-values (((a b) (values 1 2))) (+ a b))",
        "(call-with-values (lambda () (values 1 2)) +)",
        "(define ht (make-hash-table)) (hash-set! ht 'a 1) (hash-ref ht 'a)",
        "(struct posn (x y)) (posn-x (posn 1 2))",
        "(for/list ([i (in-range 3)]) (* i i))",
        "(define (compose f g) (lambda (x) (f (g x)))) ((compose car cdr) '(1 2))",
        "(do ((i 0 (+ i 1))) ((= i 5)) i)",
        "(assoc \"a\" '((\"a\" . 1)))",
        "(let* ((x 1) (y (+ x 1))) (vector x y))",
        "(defun square (x) (* x x)) (mapcar #'square '(1 2 3))",
        "(defparameter *x* 1) (incf *x*) (setf *x* 3)",
        "(defclass a () ((b :initarg :b))) (defmethod c ((x a)) x)",
        "(loop for i below 10 when (evenp i) collect i)",
        "(with-output-to-string (s) (format s \"~a\" 1))",
        "(string-upcase \"abc\")",
        "(letrec ((even? (lambda (n) (if (= n 0) #t (odd? (- n 1))))) (odd? (lambda (n) (if (= n 0) #f (even? (- n 1)))))) (even? 4))",
        "(define lst '(3 1 2)) (sort lst <)",
        "(match '(1 2) [(list a b) (+ a b)])",
        "(string->number \"12\")",
        "#!/usr/bin/sbcl --script\n(defun main () 1)\n(main)",
    ] {
        assert_eq!(effects_in(Scheme, code), Vec::<String>::new(), "{code}");
    }
    scheme(&[
        ("(display \"hello\") (newline)", &["print hello\n"]),
        ("(princ \"hello\")", &["print hello"]),
        ("(format t \"~a~%\" 1)", &["print 1\n"]),
        ("(printf \"~a\\n\" \"x\")", &["print x\n"]),
    ]);
}

#[test]
fn lisp_text_with_mistakes_is_not_taken_for_harmless() {
    emacs(&[
        ("(shell-command \"id\") (foo", &["shell id", "hidden"]),
        ("(shell-command \"id\"))", &["shell id", "hidden"]),
        ("(setq x \"abc", &["hidden"]),
        ("(funcall #[(x) \"\\300\" [] 1])", &["hidden"]),
    ]);
    scheme(&[
        ("(system \"id\") )", &["shell id", "hidden"]),
        ("#| open", &["hidden"]),
        ("#lang sh\nls", &["hidden"]),
        ("(define", &["hidden"]),
    ]);
}

#[test]
fn lisp_deep_and_large_texts_are_bounded() {
    let start = cpu_time();
    for (open, close) in
        [("(", ")"), ("'", ""), ("(let ((a ", ")))"), ("(if ", ")"), ("`(,", ")"), ("[", "]")]
    {
        let code = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        for language in [EmacsLisp, Scheme] {
            assert!(effects_in(language, &code).contains(&"hidden".to_owned()), "{open}");
        }
    }
    let took = cpu_time() - start;
    assert!(took < Duration::from_secs(2), "{took:?}");
    let start = cpu_time();
    let code = "(setq a (list 1 \"b\" 'c))\n".repeat((1 << 20) / 26);
    effects_in(EmacsLisp, &code);
    effects_in(Scheme, &format!("({}", "a ".repeat(1 << 19)));
    let took = cpu_time() - start;
    assert!(took < Duration::from_secs(12), "{took:?}");
}

#[test]
fn lisp_emacs_names_of_other_users_and_machines() {
    emacs(&[
        ("(find-file \"/sudo::/etc/hosts\")", &["user root", "read /etc/hosts"]),
        (
            "(write-region \"x\" nil \"/sudo:ann@localhost:/srv/x\")",
            &["user ann", "write /srv/x <- x"],
        ),
        (
            "(let ((default-directory \"/sudo::/srv/\")) (shell-command \"id\"))",
            &["user root", "chdir /srv/", "shell id"],
        ),
        (
            "(insert-file-contents \"/ssh:ann@h.example#2222:/srv/x\")",
            &["connect h.example 2222", "read /ssh:ann@h.example#2222:/srv/x"],
        ),
        (
            "(find-file \"/ssh:h.example|sudo:h.example:/srv/x\")",
            &["connect h.example ", "user root", "read /ssh:h.example|sudo:h.example:/srv/x"],
        ),
        ("(delete-file \"/srv/a:b\")", &["delete /srv/a:b"]),
        ("(delete-file \"/a:b:/c\")", &["delete /a:b:/c"]),
    ]);
}

#[test]
fn lisp_emacs_files_that_are_visited_and_libraries_by_their_path() {
    emacs(&[
        (
            "(with-current-buffer (find-file-noselect \"/srv/x\") (erase-buffer) (insert \"DATA\") (save-buffer))",
            &["read /srv/x", "write /srv/x <- DATA"],
        ),
        (
            "(find-file \"/srv/x\") (erase-buffer) (insert \"DATA\") (basic-save-buffer)",
            &["read /srv/x", "write /srv/x <- DATA"],
        ),
        ("(save-buffer)", &[]),
        ("(autoload 'go \"/srv/x.el\")", &["script emacs /srv/x.el"]),
        ("(autoload 'go \"x\")", &[]),
        ("(require 'x nil t)", &[]),
        ("(pp-eval-expression '(shell-command \"id\"))", &["shell id"]),
        ("(package-install 'x)", &[]),
        ("(byte-compile 'f)", &[]),
        (
            "(let ((url-request-method \"POST\")) (url-retrieve-synchronously \"http://a.example/\"))",
            &["send http://a.example/"],
        ),
        ("(vterm \"name\")", &[]),
        ("(lgrep \"rm -rf /\" \"*.el\")", &[]),
        ("(native-compile (lambda (x) x))", &[]),
        ("(dolist (f files) (byte-compile-file f))", &[]),
    ]);
}

#[test]
fn lisp_functions_of_c_are_those_of_the_table() {
    scheme(&[
        ("((foreign-library-function #f \"system\" #:arg-types '(*)) \"id\")", &["shell id"]),
        (
            "(sb-alien:alien-funcall (sb-alien:extern-alien \"unlink\" (function int c-string)) \"/srv/x\")",
            &["delete /srv/x"],
        ),
        ("(get-ffi-obj \"f\" \"/srv/x.so\" _fun)", &["load /srv/x.so"]),
        ("(cffi:foreign-funcall \"getpid\" :int)", &[]),
    ]);
}

#[test]
fn lisp_dialects_that_differ_in_a_name() {
    scheme(&[
        ("(run \"suite\")", &[]),
        ("(fiveam:run 'all)", &[]),
        ("(unlink \"x\" \"y\")", &[]),
        ("(process \"ls -l\")", &["shell ls -l"]),
        ("(sb-posix:rmdir \"/srv/x\")", &["delete /srv/x"]),
        ("(delete-file (path->complete-path \"/srv/x\" \"/tmp\"))", &["delete /srv/x"]),
        ("(ensure-directories-exist \"/srv/x/\")", &["write /srv/x/ <- "]),
    ]);
}
