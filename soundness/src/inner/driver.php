// Runs programs given on standard input, each in a process of its own, under strace, and tells which files they open and
// which programs they start. The trace is the file that the environment names.
$trace = fopen(getenv('AEGISH_TRACE'), 'r');
while (($line = fgets(STDIN)) !== false) {
    $length = (int) $line;
    $code = '';
    while (strlen($code) < $length) {
        $code .= fread(STDIN, $length - strlen($code));
    }
    stream_get_contents($trace);
    $failure = tempnam('/tmp', 'failure');
    $child = pcntl_fork();
    if ($child === 0) {
        error_reporting(0);
        ob_start();
        try {
            (static function () use ($code) { eval($code); })();
        } catch (\Throwable $error) {
            file_put_contents($failure, get_class($error) . ': ' . $error->getMessage());
        }
        ob_end_clean();
        exit(0);
    }
    pcntl_waitpid($child, $status);
    foreach (explode("\n", stream_get_contents($trace)) as $event) {
        if (!preg_match('/zq\d+x/', $event) || str_contains($event, 'resumed>')) {
            continue;
        }
        echo str_contains($event, ' execve(') ? 'run ' : 'open ', $event, "\n";
    }
    echo 'END ', str_replace("\n", ' ', (string) file_get_contents($failure)), "\n";
    unlink($failure);
}
