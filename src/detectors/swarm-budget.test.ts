import { describe, expect, it } from 'vitest';
import { call, findings, made, testDetector } from '../../test/contract/detector.ts';
import type { AgentEvent } from '../core/index.ts';
import { swarmBudget } from './swarm-budget.ts';

const used = (calls: number, tokens = 0, money = 0, tenant: object = {}): AgentEvent =>
  ({
    type: 'swarm-tally',
    key: 'abc',
    calls: 1,
    workers: 1,
    used: { calls, tokens, money },
    usedByTenant: tenant,
  }) as AgentEvent;
const grant = (n: number): AgentEvent => ({ type: 'control', do: 'grant', n });

testDetector(swarmBudget, {
  loops: [
    {
      name: 'calls',
      options: { calls: 10 },
      events: [used(8), used(9), used(10), used(11)],
      counts: [80, 90, 100, 110],
    },
    {
      name: 'money of a tenant',
      options: { tenantMoney: 200, tokens: 1000 },
      events: [used(5, 100, 7, { money: 190 }), used(5, 100, 7, { money: 201 })],
      counts: [95, 100],
    },
  ],
  healthy: [
    { name: 'no limit', events: [used(1_000_000, 1_000_000, 1_000_000)], counts: [] },
    { name: 'next to nothing', options: { calls: 1000 }, events: [used(9), used(9)], counts: [] },
  ],
});

describe('swarm-budget', () => {
  const counts = (options: { [option: string]: number }, events: readonly AgentEvent[], at = 1) =>
    findings(swarmBudget, { options, events }, at).map(({ count }) => count);

  it('tells a percentage once, and a used-up budget every time', () => {
    expect(counts({ calls: 100 }, [used(80), used(80), used(79), used(81), used(100), used(100)])).toEqual([
      80, 81, 100, 100,
    ]);
    expect(counts({ calls: 100 }, [used(79), used(80), used(5000)], 80)).toEqual([80, 1000]);
  });

  it('names the limit that is used most', () => {
    const options = { calls: 10, tokens: 100, tenantCalls: 50, tenantTokens: 100 };
    const [finding] = findings(swarmBudget, {
      options,
      events: [call('read'), used(5, 60, 0, { calls: 10, tokens: 90 })],
    });
    expect(finding).toMatchObject({
      subject: 'tenantTokens',
      count: 90,
      evidence: [1],
      facts: { limit: 'tenantTokens', used: 90, of: 100 },
    });
    const money = findings(swarmBudget, { options: { money: 10 }, events: [used(0, 0, 5)] });
    expect(money).toMatchObject([{ subject: 'money', count: 50, evidence: [] }]);
  });

  it('adds what a person grants, and takes nothing else for a number', () => {
    const events = [
      used(10),
      grant(50),
      used(10),
      used(14),
      used(15),
      grant(-5),
      grant(Number.NaN),
      used(15),
    ];
    expect(counts({ calls: 10 }, events, 100)).toEqual([100, 100, 100]);
    const odd = [{ ...used(1), used: { calls: 'x', tokens: Infinity, money: -4 } } as unknown as AgentEvent];
    expect(counts({ calls: 1, tokens: 1, money: 1 }, odd)).toEqual([]);
    expect(counts({ calls: 10 }, [{ type: 'control', do: 'delivered' }, used(10)], 100)).toEqual([100]);
  });

  it('reads tallies that tell nothing of what was used, or only of one of the two', () => {
    const bare = { type: 'swarm-tally', key: 'abc', calls: 1, workers: 1 } as const;
    expect(counts({ calls: 10, tenantCalls: 10 }, [bare])).toEqual([]);
    expect(counts({ calls: 10 }, [{ ...bare, used: { calls: 5, tokens: 0, money: 0 } }])).toEqual([50]);
    const tenant = { calls: 5, tokens: 0, money: 0 };
    expect(counts({ tenantCalls: 10 }, [{ ...bare, usedByTenant: tenant }])).toEqual([50]);
  });

  it('names the first of two limits that are used alike', () => {
    const [finding] = findings(swarmBudget, {
      options: { calls: 10, tokens: 100 },
      events: [used(5, 50)],
    });
    expect(finding).toMatchObject({ subject: 'calls', count: 50 });
  });

  it('speaks from one percent on, and at nothing below', () => {
    expect(counts({ calls: 100 }, [used(0), used(1)])).toEqual([1]);
    expect(counts({ calls: 1000 }, [used(9), used(10)])).toEqual([1]);
  });

  it('is given nothing by a person who says no number', () => {
    const approve = { type: 'control', do: 'approve', n: 50 } as AgentEvent;
    expect(counts({ calls: 10 }, [used(10), approve, used(10)], 100)).toEqual([100, 100]);
  });

  it('hears nothing without a limit, and keeps what was spent when a person speaks', () => {
    expect(made(swarmBudget)).toMatchObject({ events: [], needs: [] });
    expect(made(swarmBudget, { tokens: 5 })).toMatchObject({
      events: ['swarm-tally', 'control'],
      needs: [],
      blocks: true,
      failures: true,
    });
  });
});
