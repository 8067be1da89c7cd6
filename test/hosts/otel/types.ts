import * as api from '@opentelemetry/api';
import { expectTypeOf } from 'vitest';
import { deloop } from '../../../src/adapters/generic/index.ts';
import { withTelemetry } from '../../../src/adapters/otel/index.ts';
import { createGuard, createStoredGuard } from '../../../src/index.ts';
import { createMemoryStore } from '../../../src/stores/index.ts';

/** Never run: the compiler reads it. */
export function types(): void {
  const options = withTelemetry(api, { preset: 'recommended', mode: 'shadow' } as const);
  expectTypeOf(options.preset).toEqualTypeOf<'recommended'>();
  deloop(options);
  createGuard(options);
  createStoredGuard({ ...withTelemetry(api, {}), store: createMemoryStore(), session: 'x' });
  withTelemetry({ metrics: api.metrics }, {});
  deloop(withTelemetry(api, { onAsk: ({ message }) => message !== '', onStop: ({ detector }) => detector }));
  deloop(withTelemetry(api, { isFailure: (output) => output === 'none' }));
  // @ts-expect-error a callback must be a function
  withTelemetry(api, { onDecision: 1 });
}
