const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
  ENOTDIR: 'a part of the path is not a folder',
  ELOOP: 'its links go round in circles',
};

/** Why a file could not be read, for people. */
export function whyNot(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return REASONS[code ?? ''] ?? `it could not be read (${message ?? String(error)})`;
}
