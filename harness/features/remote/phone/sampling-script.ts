/** How often the phone reads the time of its cores, in milliseconds. */
export const sampleMs = 100;

/** Every how many of them it reads its threads, too: that takes it some milliseconds. */
const samplesPerRound = 5;

/** A sampler that is not stopped ends by itself, after a quarter of an hour. */
const mostSamples = 9000;

const appForm = /^[A-Za-z]\w{0,99}(\.\w{1,100}){1,10}$/;

/**
 * The program on the phone: one shell that reads commands from its standard input, and between them
 * its own /proc. It starts no program while it samples where `cat` is built into the shell, as it
 * is in Android's mksh. Needs a shell whose `read` knows `-t` (mksh, bash, zsh, toybox's).
 *
 * `ping` is answered with the phone's clock. `go` lists the processes of the app and begins to
 * sample; `mark` and `stop` read everything at once. `sample-parser.ts` reads its output: `@
 * seconds word` begins a dump, `.` ends it. A time that runs out in the middle of a command leaves
 * its first letters in `part`: half of a `stop` would be none.
 * @throws an Error for a name that is not an app's: it becomes part of a program.
 */
export function samplingScript(app: string): string {
  if (!appForm.test(app)) throw new Error(`"${app}" is no name of an app`);
  return `nl='
'
pause=3600 files= n=0 part=
scan() {
files=; set -f; IFS=$nl
for line in $(ps -A -o PID,ARGS); do
IFS=' '; set -- $line; IFS=$nl
case $2 in ${app}|${app}:*) echo "+ $1 $2"; files="$files /proc/$1/stat /proc/$1/task/*/stat";; esac
done
IFS=' '; set +f
}
show() { if read -r line < $2; then echo "= $1 $line"; fi 2>/dev/null; }
facts() {
show loadavg /proc/loadavg
while read -r name value rest; do case $name in MemAvailable:) echo "= available $value";; esac; done < /proc/meminfo
show governor /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor
show khz /sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq
}
cores() {
read -r now rest < /proc/uptime; echo; echo "@ $now $1"
while read -r name rest; do case $name in cpu*) echo "$name $rest";; *) break;; esac; done < /proc/stat
}
threads() {
cores $1
read -r line < /proc/$$/stat; echo "$ $line"
if [ -n "$files" ]; then cat $files < /dev/null 2>/dev/null; fi
}
echo ready
while :; do
read -r -t $pause word; s=$?
if [ $s -gt 128 ]; then part=$part$word word=tick; elif [ $s -ne 0 ]; then exit 0; else word=$part$word part=; fi
case $word in
ping) read -r now rest < /proc/uptime; echo "pong $now";;
go) scan; facts; threads go; echo .; pause=${String(sampleMs / 1000)} n=0;;
mark) threads mark; echo .;;
stop) pause=3600; scan; threads stop; echo .;;
tick) [ $pause = 3600 ] && continue
n=$((n+1)); if [ $((n % ${String(samplesPerRound)})) = 0 ]; then threads tick; else cores tick; fi; echo .
if [ $n -ge ${String(mostSamples)} ]; then pause=3600; fi;;
esac
done`;
}
