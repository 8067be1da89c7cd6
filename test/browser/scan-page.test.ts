import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanPage } from '../../src/report/scan-page.ts';
import type { ScanReport } from '../../src/report/scan-report.ts';
import { hostileReport, report, weekReport } from '../report/scan-samples.ts';
import { findChromium, launch } from './chromium.ts';

/** Starting a browser on a busy machine takes its time. */
const PATIENCE_MS = 120_000;
const chromium = findChromium();

describe.runIf(chromium !== undefined)('the page of a scan, in a browser', { timeout: PATIENCE_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'deloop-page-'));
  let browser: Browser;
  let opened = 0;

  beforeAll(async () => {
    browser = await launch(chromium as string);
  }, PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  }, PATIENCE_MS);

  /** What happens beside the page's own text: nothing should. */
  async function visit(
    own: ScanReport,
    options: BrowserContextOptions,
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    const address = join(folder, `${++opened}.html`);
    writeFileSync(address, scanPage(own));
    const { href } = pathToFileURL(address);
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    const page = await context.newPage();
    const beside: string[] = [];
    page.on('console', (message) => beside.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => beside.push(`error: ${error.message}`));
    page.on('popup', (popup) => beside.push(`popup: ${popup.url()}`));
    page.on('request', (request) => {
      if (request.url() !== href) beside.push(`request: ${request.url()}`);
    });
    page.on('dialog', async (dialog) => {
      beside.push(`dialog: ${dialog.message()}`);
      await dialog.dismiss();
    });
    await page.goto(href);
    await look(page);
    expect(page.url().split('#')[0]).toBe(href);
    expect(beside).toEqual([]);
    await context.close();
  }

  function number(page: Page, expression: string): Promise<number> {
    return page.evaluate(expression);
  }

  it('shows the sums, the sessions and, on a click, the evidence', async () => {
    await visit(weekReport(), {}, async (page) => {
      expect(await page.title()).toBe('5 loops in 44 sessions');
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('5 loops in 44 sessions');
      expect(await page.locator('.tiles').textContent()).toContain('$7.91');
      expect(await page.getByRole('img', { name: /^Money wasted by day/ }).isVisible()).toBe(true);
      const picture = page.getByRole('img', {
        name: /^142 calls; a loop in calls 14 to 75, nudge at call 17/,
      });
      expect(await picture.isVisible()).toBe(true);
      expect(await page.getByRole('article').count()).toBe(4);
      const first = page.getByRole('article').first();
      expect(await first.locator('blockquote').first().isVisible()).toBe(false);
      await first.getByText('62 calls in circles').click();
      expect(await first.locator('blockquote').first().isVisible()).toBe(true);
      expect(await first.getByText('expected 12 to be 11').first().isVisible()).toBe(true);
      expect(await first.getByText('here the guard nudges').first().isVisible()).toBe(true);
    });
  });

  it('draws cells that differ, and a sign right above the call at which the guard acts', async () => {
    await visit(weekReport(), {}, async (page) => {
      const first = page.getByRole('article').first();
      const box = async (selector: string) => {
        const found = await first.locator(selector).first().boundingBox();
        if (found === null) throw new Error(`${selector} is not drawn`);
        return found;
      };
      const cell = await box('use:has(title:text-matches("^17: "))');
      const sign = await box('use[href="#nudge"]');
      expect(cell.width).toBeGreaterThan(9);
      expect(Math.abs(cell.x - sign.x)).toBeLessThan(2);
      expect(sign.y).toBeLessThan(cell.y);
      expect(sign.y + sign.height).toBeGreaterThan(cell.y - 6);
      const looks = ['free', 'loop', 'waste'].map((place) =>
        page.evaluate<string>(`getComputedStyle(document.querySelector('#${place}-ran .box')).fill`),
      );
      expect(new Set(await Promise.all(looks)).size).toBe(3);
    });
  });

  it('makes hostile transcripts inert', async () => {
    await visit(hostileReport(), {}, async (page) => {
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      expect(
        await page
          .locator('script, img, iframe, object, embed, form, body style, [onload], [onerror]')
          .count(),
      ).toBe(0);
      const links = await page.evaluate<string[]>(
        '[...document.querySelectorAll("a")].map((link) => link.getAttribute("href"))',
      );
      expect(links.length).toBeGreaterThan(0);
      expect(links.filter((link) => !/^#[a-z0-9-]+$/.test(link))).toEqual([]);
      const text = (await page.locator('main').textContent()) ?? '';
      expect(text).toContain('<script>alert(1)</script>');
      expect(text).toContain('<a href="javascript:alert(4)">');
      expect(text).toContain('⟨U+202E⟩');
      expect(text).not.toMatch(/[\p{Cf}\p{Cs}]/u);
      await page.getByText('javascript:alert(6)').first().click();
      await page.locator('pre').first().click();
      expect(await page.locator('main').isVisible()).toBe(true);
    });
  });

  it.each(['light', 'dark'] as const)('can be read in %s', async (colorScheme) => {
    await visit(weekReport(), { colorScheme }, async (page) => {
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      const [paper = 0] = luminances(
        await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'),
      );
      expect(paper > 0.5).toBe(colorScheme === 'light');
      const pairs = await page.evaluate<[name: string, ink: string, ground: string][]>(INKS);
      expect(pairs.length).toBeGreaterThan(15);
      for (const [name, ink, ground] of pairs) {
        const [low = 0, high = 0] = [...luminances(ink), ...luminances(ground)].toSorted((a, b) => a - b);
        expect((high + 0.05) / (low + 0.05), `${name}: ${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
    });
  });

  it('is usable by keyboard alone', async () => {
    await visit(weekReport(), {}, async (page) => {
      const focused = () => page.evaluate<string>('document.activeElement.textContent');
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('Skip to the sessions');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await focused()).toContain('62 calls in circles');
      expect(
        await number(page, 'parseFloat(getComputedStyle(document.activeElement).outlineWidth)'),
      ).toBeGreaterThan(1);
      const evidence = page.getByRole('article').first().locator('blockquote').first();
      await page.keyboard.press('Enter');
      expect(await evidence.isVisible()).toBe(true);
      await page.keyboard.press('Enter');
      expect(await evidence.isVisible()).toBe(false);
    });
  });

  it.each([
    ['work', weekReport()],
    ['hostile', hostileReport()],
    ['no loop', report([])],
  ])('fits a screen of 360 pixels: %s', async (_, own) => {
    await visit(own, { viewport: { width: 360, height: 740 } }, async (page) => {
      expect(await number(page, 'document.documentElement.scrollWidth')).toBe(360);
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      expect(await number(page, 'document.documentElement.scrollWidth')).toBe(360);
    });
  });
});

/** Every element with text of its own: a name, its colour, and the colour that it stands on. */
const INKS = `[...new Map([...document.querySelectorAll('body *:not(svg *)')]
  .filter((one) => one.checkVisibility() && !one.matches('.skip') && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
  .map((one) => {
    let ground = one;
    while (ground.parentElement && getComputedStyle(ground).backgroundColor === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;
    const { color } = getComputedStyle(one);
    const name = one.tagName.toLowerCase() + (one.className ? '.' + one.className : '');
    const { backgroundColor } = getComputedStyle(ground);
    return [name + color + backgroundColor, [name, color, backgroundColor]];
  })).values()]`;

/** The relative luminance of a colour, by WCAG 2. */
function luminances(color: string): readonly number[] {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return [0.2126 * red + 0.7152 * green + 0.0722 * blue];
}
