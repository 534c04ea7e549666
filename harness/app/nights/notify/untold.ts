import type { NightChange, NightDocument, SentNotification } from '../night-document.ts';

/** A channel that has been silent for long tells the newest of what it missed. */
const most = 20;

/**
 * Changes of nights before that this channel tried to tell of and could not, the newest first. It
 * ends at the night of which it could: that one told of those before it, too. Pure.
 * @param earlier the nights before, the newest first.
 */
export function untoldChanges(
  earlier: readonly NightDocument[],
  channel: SentNotification['channel'],
): readonly NightChange[] {
  const untold: NightChange[] = [];
  for (const { id, changes, notifications } of earlier) {
    const tried = notifications.find((one) => one.channel === channel);
    if (tried?.sent === true) break;
    // Without a try there was nothing to tell, or nobody who was to be told.
    if (tried === undefined) continue;
    untold.push(...changes.map(({ kind, text }) => ({ kind, text: `${text} (night ${id})` })));
  }
  return untold.slice(0, most);
}
