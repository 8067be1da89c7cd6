import { wrong } from '../core/options.ts';
import { presets } from '../presets/registry.ts';
import { type Config, MODES } from './config.ts';

export type Environment = { readonly [name: string]: string | undefined };

const YES_NO: { readonly [text: string]: boolean } = { true: true, '1': true, false: false, '0': false };

/** What DELOOP_PRESET, DELOOP_MODE and DELOOP_ATTENDED say; an empty one says nothing. */
export function environmentConfig(environment: Environment): Config {
  const preset = choice(environment, 'DELOOP_PRESET', Object.keys(presets)) as Config['preset'];
  const mode = choice(environment, 'DELOOP_MODE', MODES) as Config['mode'];
  const attended = choice(environment, 'DELOOP_ATTENDED', Object.keys(YES_NO));
  return {
    ...(preset === undefined ? {} : { preset }),
    ...(mode === undefined ? {} : { mode }),
    ...(attended === undefined ? {} : { attended: YES_NO[attended] as boolean }),
  };
}

function choice(environment: Environment, name: string, values: readonly string[]): string | undefined {
  const value = environment[name];
  if (value === undefined || value === '') return undefined;
  if (!values.includes(value)) throw wrong(name, value, `one of ${values.join(', ')}`);
  return value;
}
