export type { Api } from './api.ts';
export { type Heard, type Telling, withTelemetry } from './with-telemetry.ts';
