import { describe } from 'vitest';
import { blindly, does, laps, times } from './beats.ts';
import { hex } from './noise.ts';
import { story } from './story.ts';

describe('results that never come', () => {
  story('a web agent whose host shows no results clicks one thing for ever', {
    run: times(20, () => blindly('click', { bid: '1534' })),
    hears: ['4 nudge blind-repeat', '8 ask blind-repeat'],
  });
  story('and goes between two pages', {
    run: laps(20, () => [
      blindly('goto', { url: 'https://shop.example.com/cart' }),
      blindly('goto', { url: 'https://shop.example.com/pay' }),
    ]),
    toldBy: 8,
    endsBy: 24,
  });
  story('a form filled in, field by field, without a word back', {
    run: [
      blindly('goto', { url: 'https://shop.example.com/form' }),
      ...times(15, (i) => blindly('fill', { bid: `f${i}`, value: hex(i, 6) })),
      blindly('click', { bid: 'submit' }),
    ],
  });
  story('scrolling down a long page is no loop', {
    run: [...times(12, () => blindly('scroll', { direction: 'down' })), blindly('click', { bid: 'a51' })],
  });
  story('browser-use PR#4033: waiting for a page a few times', {
    run: laps(4, (i) => [blindly('wait', { seconds: 3 }), blindly('click', { index: i })]),
  });
  story('the same button three times: next, next, next', {
    run: [
      ...times(3, () => blindly('click', { bid: 'next' })),
      blindly('send_msg_to_user', { text: 'Page 4 lists it.' }),
    ],
  });
  story('openclaw#120448: a tool whose output is always empty, called alike without end', {
    run: times(20, () => does('notify_client', { event: 'refresh' }, '')),
    hears: ['4 nudge blind-repeat', '8 ask blind-repeat'],
  });
  story('empty outputs of calls that differ say nothing', {
    run: times(20, (i) => does('set_cell', { cell: `B${i + 2}`, value: i * 3 }, '')),
  });
});
