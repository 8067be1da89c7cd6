import { fieldsOf } from '../fields.ts';

const SIGNS = ['previousResponseId', 'previousInteractionId', 'conversation'] as const;

/** Whether the provider keeps the conversation itself, by the options for it: then it is sent only what is new. */
export function isKeptByProvider(providerOptions: unknown): boolean {
  return Object.values(fieldsOf(providerOptions)).some((own) =>
    SIGNS.some((sign) => (fieldsOf(own)[sign] ?? null) !== null),
  );
}
