import { describe, it } from 'vitest';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { testBrokenStreams } from './broken-streams.ts';
import { testOpenAiAgents } from './cases.ts';
import { testEndings } from './endings.ts';
import { testHandedOver } from './handed-over.ts';
import { openAiAgentsHost, WAYS } from './host.ts';
import { testInnerAgents } from './inner-agents.ts';
import { testOtherTools } from './other-tools.ts';
import { testQuestions } from './questions.ts';

for (const way of WAYS) testAdapter(openAiAgentsHost(way), { describe, it });
testOpenAiAgents();
testEndings();
testHandedOver();
testInnerAgents();
testOtherTools();
testQuestions();
testBrokenStreams();
