import { MAX_MESSAGE } from '../core/check-preset.ts';
import { checkTools } from '../core/check-tools.ts';
import { refuseUnknown, wrong } from '../core/options.ts';
import type { ToolTable } from '../core/tools.ts';
import { type Fields, fieldsAt, inFile, isFields, refuseHostile } from './checks.ts';
import { type Config, MODES, SETTINGS } from './config.ts';
import { checkOverride } from './parse-detectors.ts';
import { checkLadder } from './parse-ladder.ts';
import { checkPreset } from './parse-preset.ts';
import { checkStore, checkSwarm } from './parse-swarm.ts';

const FIELDS = ['$schema', ...SETTINGS, 'locked'];

/** A config as it was read; throws at the first thing in it that cannot work, naming the file (`where`). */
export function parseConfig(raw: unknown, where: string): Config {
  return inFile(where, () => {
    const fields = fieldsAt(raw, 'the config', `an object with ${FIELDS.join(', ')}`);
    refuseHostile(fields, 'the config');
    refuseUnknown(fields, FIELDS, 'the config');
    for (const [name, check] of Object.entries(CHECKS)) {
      if (Object.hasOwn(fields, name)) check(fields[name], name);
    }
    checkLocked(fields);
    return withAbout(fields as Config);
  });
}

const CHECKS: { readonly [field: string]: (value: unknown, where: string) => void } = {
  $schema(value, where) {
    if (typeof value !== 'string') throw wrong(where, value, 'a text');
  },
  preset: checkPreset,
  mode(value, where) {
    if (!MODES.some((mode) => mode === value)) throw wrong(where, value, `one of ${MODES.join(', ')}`);
  },
  attended(value, where) {
    if (typeof value !== 'boolean') throw wrong(where, value, 'true or false');
  },
  tools(value, where) {
    const tools = fieldsAt(value, where, 'an object of tool names');
    for (const [tool, rules] of Object.entries(tools)) {
      const at = `${where}[${JSON.stringify(tool)}]`;
      const { at: thresholds } = fieldsAt(rules, at, 'an object of declarations');
      if (thresholds !== undefined) fieldsAt(thresholds, `${at}.at`, 'an object with nudge, block, halt');
    }
    checkTools(tools as ToolTable, where);
  },
  messages(value, where) {
    for (const [key, message] of Object.entries(fieldsAt(value, where, 'an object of texts'))) {
      if (typeof message !== 'string' || message === '' || message.length > MAX_MESSAGE)
        throw wrong(`${where}.${key}`, message, `a text of 1 to ${MAX_MESSAGE} characters`);
    }
  },
  detectors(value, where) {
    const detectors = fieldsAt(value, where, 'an object of detectors by name');
    for (const [name, override] of Object.entries(detectors)) checkOverride(name, override, where);
  },
  ladder: checkLadder,
  store: checkStore,
  swarm: checkSwarm,
};

function checkLocked(fields: Fields): void {
  if (!Object.hasOwn(fields, 'locked')) return;
  const { locked } = fields;
  const set = SETTINGS.filter((name) => Object.hasOwn(fields, name));
  const expected = `a list of fields that this file sets (${set.length === 0 ? 'it sets none' : set.join(', ')})`;
  if (!Array.isArray(locked) || !locked.every((name) => set.includes(name)))
    throw wrong('locked', locked, expected);
}

/** A preset of one's own needs no description. */
function withAbout(config: Config): Config {
  const { preset } = config;
  return isFields(preset) && preset.about === undefined
    ? { ...config, preset: { ...preset, about: '' } }
    : config;
}
