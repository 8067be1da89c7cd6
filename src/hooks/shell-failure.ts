const MAX_LENGTH = 600;
const MAX_LINES = 3;
/** How shells and the usual tools say that they could not. */
const COULD_NOT =
  /^(?:\S{1,200}: )?(?:.{0,300}: )?(?:(?:command )?not found|no such file or directory|permission denied|is a directory|not a directory|operation not permitted|connection refused)\.?$/i;
const FATAL = /^(?:fatal|error|\S{1,60}: error): /i;

/**
 * Whether a command's short output is nothing but a complaint. For hosts that hide the exit code: a long output, or one with anything
 * else in it, is not taken for a failure.
 */
export function shellFailure(output: string): boolean {
  const text = output.trim();
  if (text === '' || text.length > MAX_LENGTH) return false;
  const lines = text.split('\n');
  return lines.length <= MAX_LINES && lines.every((line) => COULD_NOT.test(line) || FATAL.test(line));
}
