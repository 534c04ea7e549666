import { escapeXml } from '../../../transfer/exchange/junit.ts';
import { shellCommand } from './cron.ts';
import { installedMark, type Timetable } from './timetable.ts';

/** The label of a job: launchd wants them to be unlike anybody else's. */
export function launchdLabel(name: string): string {
  return `org.crossfarm.${name}`;
}

/** A user's agent. A shell reads the secrets, because a job's own file of them would be no secret. */
export function launchdJob(timetable: Timetable): string {
  const { name, at } = timetable;
  const text = (value: string): string => `<string>${escapeXml(value)}</string>`;
  const number = (value: number): string => `<integer>${String(value)}</integer>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${installedMark} -->`,
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${text(launchdLabel(name))}`,
    '  <key>ProgramArguments</key>',
    `  <array>${['/bin/sh', '-c', shellCommand(timetable)].map(text).join('')}</array>`,
    '  <key>StartCalendarInterval</key>',
    `  <dict><key>Hour</key>${number(at.hour)}<key>Minute</key>${number(at.minute)}</dict>`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}
