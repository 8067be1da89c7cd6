import { checkedPlan } from '../core/check-preset.ts';
import { wrong } from '../core/options.ts';
import type { Preset } from '../core/preset.ts';
import { detectorKinds, presets } from '../presets/registry.ts';
import { fieldsAt, isFields } from './checks.ts';
import { checkLadder } from './parse-ladder.ts';

/** A preset's name as errors show it and files keep it. */
export const MAX_NAME = 64;

/** The name of a preset, or one written out. */
export function checkPreset(value: unknown, where: string): void {
  if (typeof value === 'string' && Object.hasOwn(presets, value)) return;
  if (!isFields(value))
    throw wrong(where, value, `one of ${Object.keys(presets).join(', ')}, or a preset object`);
  const { name, about, detectors, ladder } = value;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME)
    throw wrong(`${where}.name`, name, `a text of 1 to ${MAX_NAME} characters`);
  if (about !== undefined && typeof about !== 'string') throw wrong(`${where}.about`, about, 'a text');
  for (const [detector, use] of Object.entries(
    fieldsAt(detectors, `${where}.detectors`, 'an object of detectors by name'),
  ))
    fieldsAt(use, `${where}.detectors.${detector}`, 'an object with a kind and options');
  checkLadder(ladder, `${where}.ladder`);
  checkedPlan(value as Preset, { described: detectorKinds });
}
