/**
 * Types, lint and formatting at the same time; tells what is wrong of each, and exits with 1 if
 * anything is.
 */
import { spawn } from 'node:child_process';

const checks = ['types', 'lint', 'format'];

function run(check) {
  const child = spawn('npm', ['run', '--silent', check], { shell: process.platform === 'win32' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ check, code, output }));
  });
}

for (const { check, code, output } of await Promise.all(checks.map(run))) {
  if (code === 0) continue;
  process.exitCode = 1;
  process.stderr.write(`npm run ${check} failed:\n${output}\n`);
}
