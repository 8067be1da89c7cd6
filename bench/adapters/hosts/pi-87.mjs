import { Agent } from 'pi-agent-core-87';
import { streamSimple } from 'pi-ai-87/compat';
import { piHost } from './pi.mjs';

export const create = (setup) => piHost({ Agent, streamFn: streamSimple }, setup);
