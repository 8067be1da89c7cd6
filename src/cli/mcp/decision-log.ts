import { appendFileSync, closeSync, openSync } from 'node:fs';
import type { Intervention } from '../../core/types.ts';
import type { Approval } from '../../mcp/approval.ts';
import { UsageError } from '../exit.ts';
import { whyNot } from '../why-not.ts';

/** What the guard has decided: names, numbers and digests, never what a call was given or gave. */
export type DecisionLog = {
  decision(decision: Intervention, tool: string | undefined, session: string | undefined): void;
  approval(approval: Approval, call: number, session: string | undefined): void;
};

const OWNER_ONLY = 0o600;
const MAX_TOOL = 128;

/** JSON Lines at the end of a file; without a file, words for people. */
export function createDecisionLog(file: string | undefined, say: (text: string) => void): DecisionLog {
  if (file === undefined)
    return {
      decision({ action, call, finding }, tool) {
        say(
          `${action} at call ${call}${tool === undefined ? '' : ` of ${tool}`}: ${finding.detector}, ${finding.count}`,
        );
      },
      approval(approval, call) {
        if (approval !== 'unable') say(`${approval} by a person at call ${call}`);
      },
    };
  try {
    closeSync(openSync(file, 'a', OWNER_ONLY));
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(`--log ${file}: ${missing ? 'its folder is not there' : whyNot(error)}`);
  }
  let failed = false;

  function write(line: object): void {
    try {
      appendFileSync(file as string, `${JSON.stringify({ at: Date.now(), ...line })}\n`, {
        mode: OWNER_ONLY,
      });
    } catch (error) {
      if (!failed) say(`--log ${file}: it cannot be written any more: ${whyNot(error)}`);
      failed = true;
    }
  }

  return {
    decision({ action, level = null, call, finding }, tool, session) {
      const { detector, subject, count, evidence } = finding;
      write({
        session,
        call,
        tool: tool?.slice(0, MAX_TOOL),
        action,
        level,
        detector,
        subject,
        count,
        evidence,
      });
    },
    approval(approval, call, session) {
      write({ session, call, approval });
    },
  };
}
