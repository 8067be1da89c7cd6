import { Agent } from '@earendil-works/pi-agent-core';
import { createAssistantMessageEventStream } from '@earendil-works/pi-ai';
import { describe, it } from 'vitest';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { type Pi, piHost } from '../pi.ts';
import { testPi } from '../pi-cases.ts';

const pi: Pi = {
  name: 'pi 0.74.2',
  createAgent: (options) => new Agent(options as never) as never,
  createStream: () => createAssistantMessageEventStream() as never,
};

for (const toolExecution of ['parallel', 'sequential'] as const)
  testAdapter(piHost(pi, toolExecution), { describe, it });
testPi(pi);
