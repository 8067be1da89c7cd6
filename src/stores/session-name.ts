import { digestText } from '../core/digest-text.ts';

/** Names that every file system takes as they are, and tells apart whatever it thinks of capital letters. */
const PLAIN = /^[a-z0-9][a-z0-9_-]{0,95}$/;
/** Names that Windows keeps for devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const KEPT = 40;

/** The name of a session's files, without an ending: the session's own where it can be one, otherwise what is readable of it and a digest. */
export function sessionName(session: string): string {
  if (PLAIN.test(session) && !DEVICE.test(session)) return session;
  const readable = session
    .slice(0, KEPT)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '-');
  const backwards = [...session].reverse().join('');
  return `${readable}~${digestText(session).toString(36)}${digestText(backwards).toString(36)}`;
}
