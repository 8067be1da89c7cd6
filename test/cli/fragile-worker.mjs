// Answers as a worker of a scan does, and does with some sources what no worker should.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', ({ index, source }) => {
  if (source.path.startsWith('exits')) process.exit(3);
  if (source.path.startsWith('throws')) throw new Error('something broke');
  if (source.path.startsWith('sleeps')) return;
  parentPort.postMessage({ bytes: source.size });
  const result = { format: 'toy', why: `read ${source.path}`, scanned: null };
  parentPort.postMessage(
    source.path.startsWith('fails') ? { index, failure: 'it is odd' } : { index, result },
  );
});
