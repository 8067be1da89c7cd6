import { describe, it } from 'vitest';
import { testAdapter } from '../../../src/testing/test-adapter.ts';
import { testBrokenStreams } from './broken-streams.ts';
import { testLangChain } from './cases.ts';
import { testCompactions } from './compactions.ts';
import { testHandovers } from './handovers.ts';
import { langchainHost, WAYS } from './host.ts';
import { testInvocations } from './invocations.ts';
import { testTeams } from './teams.ts';

for (const way of WAYS) testAdapter(langchainHost(way), { describe, it });
testLangChain();
testInvocations();
testTeams();
testHandovers();
testCompactions();
testBrokenStreams();
