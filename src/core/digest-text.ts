/** A digest of a text: a safe integer, equal for equal texts. */
export type DigestText = (text: string) => number;
export const digestText: DigestText = (text) => {
  let a = 0x9e3779b9 | 0;
  let b = 0x85ebca6b | 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 0x85ebca6b);
    b = Math.imul(b ^ c, 0xc2b2ae35);
    a = (a << 13) | (a >>> 19);
    b = (b << 11) | (b >>> 21);
  }
  return (a >>> 11) * 4294967296 + (b >>> 0);
};
