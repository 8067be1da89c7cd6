import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from '../exit.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The words of a command line by their options; `help` = the command that tells which there are. */
export function parsedWords<const Own extends Options>(
  args: readonly string[],
  options: Own,
  help: string,
): ReturnType<typeof parseArgs<{ options: Own; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const [why] = (error as Error).message.split('. ');
    throw new UsageError(`${why} (see: ${help})`);
  }
}
