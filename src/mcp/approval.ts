import { fieldsOf } from './fields.ts';

/** What a person said to a question; `unable` = nobody was asked. */
export type Approval = 'approved' | 'declined' | 'dismissed' | 'unable';

const PREFIX = 'deloop-approval-';

/** Ids and keys of our questions; `unique` is a text that nobody else can have. */
export function approvalKey(unique: string, number: number): string {
  return `${PREFIX}${unique}-${number}`;
}

export function isApprovalKey(key: unknown): boolean {
  return typeof key === 'string' && key.startsWith(PREFIX);
}

/** The form is empty: to accept it is to say yes. */
export function questionFor(
  tool: string,
  prompt: string,
): { readonly message: string; readonly requestedSchema: object } {
  return {
    message: `${prompt}\n\nThe agent wants to call ${tool}. Accept to let it go on, decline to stop it.`,
    requestedSchema: { type: 'object', properties: {} },
  };
}

/** What the result of an elicitation says. */
export function approvalIn(result: unknown): Approval {
  const { action } = fieldsOf(result);
  return action === 'accept' ? 'approved' : action === 'decline' ? 'declined' : 'dismissed';
}

/** Whether the client can put a form before a person. */
export function canElicit(capabilities: unknown): boolean {
  const { elicitation } = fieldsOf(capabilities);
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  // A client that names no mode has forms, the only mode there was at first.
  return 'form' in elicitation || !('url' in elicitation);
}
