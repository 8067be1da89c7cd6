import { wrong } from '../core/options.ts';
import { presets } from '../presets/registry.ts';
import { type Config, MODES } from './config.ts';
import { checkStore, checkSwarm } from './parse-swarm.ts';

export type Environment = { readonly [name: string]: string | undefined };

const YES_NO: { readonly [text: string]: boolean } = { true: true, '1': true, false: false, '0': false };

/**
 * What DELOOP_PRESET, DELOOP_MODE, DELOOP_ATTENDED, DELOOP_REDIS_URL, DELOOP_TENANT, DELOOP_SWARM and DELOOP_WORKER say; an empty
 * one says nothing.
 */
export function environmentConfig(environment: Environment): Config {
  const preset = choice(environment, 'DELOOP_PRESET', Object.keys(presets)) as Config['preset'];
  const mode = choice(environment, 'DELOOP_MODE', MODES) as Config['mode'];
  const attended = choice(environment, 'DELOOP_ATTENDED', Object.keys(YES_NO));
  return {
    ...(preset === undefined ? {} : { preset }),
    ...(mode === undefined ? {} : { mode }),
    ...(attended === undefined ? {} : { attended: YES_NO[attended] as boolean }),
    ...storeIn(environment),
    ...swarmIn(environment),
  };
}

function choice(environment: Environment, name: string, values: readonly string[]): string | undefined {
  const value = environment[name];
  if (value === undefined || value === '') return undefined;
  if (!values.includes(value)) throw wrong(name, value, `one of ${values.join(', ')}`);
  return value;
}

function storeIn({ DELOOP_REDIS_URL: redis, DELOOP_TENANT: tenant }: Environment): Pick<Config, 'store'> {
  const store = { ...(redis ? { redis } : {}), ...(tenant ? { tenant } : {}) };
  if (Object.keys(store).length === 0) return {};
  checkStore(store, 'the store of DELOOP_REDIS_URL and DELOOP_TENANT');
  return { store };
}

function swarmIn({ DELOOP_SWARM: name, DELOOP_WORKER: worker }: Environment): Pick<Config, 'swarm'> {
  if (name === 'off') return { swarm: 'off' };
  const swarm = { ...(name ? { name } : {}), ...(worker ? { worker } : {}) };
  if (Object.keys(swarm).length === 0) return {};
  checkSwarm(swarm, 'the swarm of DELOOP_SWARM and DELOOP_WORKER');
  return { swarm };
}
