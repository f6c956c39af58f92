// The house as somebody sees it who opens it in a browser: the first page, the documentation, and a diagnosis tried there.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Locator } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from '../support/chromium.ts';
import type { Engine } from '../support/engine.ts';
import { makePng } from '../support/file-samples.ts';
import { expectedDiagnosis, HISTORY, type House, openHouse } from '../support/journey-diagnosis.ts';

let house: House | undefined;
let browser: Browser | undefined;
let engine: Engine;

beforeAll(async () => {
  house = await openHouse();
  engine = await house.startEngine();
  browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: [...CHROMIUM_ARGUMENTS] });
});
afterAll(async () => {
  await browser?.close();
  await house?.close();
});

function launched(given: Browser | undefined): Browser {
  if (given === undefined) throw new Error('there is no browser');
  return given;
}

describe('in a browser', () => {
  it('the first page leads to the documentation, where a key and a history give a diagnosis', async () => {
    const key = await engine.makeKey();
    const page = await launched(browser).newPage();
    page.setDefaultTimeout(50_000);
    const outside: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(engine.url) && !request.url().startsWith('data:')) outside.push(request.url());
    });
    page.on('console', (m) => console.log(m.text()));
    await page.addInitScript(() => { const g = globalThis as any; const real = g.fetch; g.fetch = (a: any, b: any) => { const body = (b?.body ?? a?.body); if (body instanceof g.FormData) for (const [n, v] of body) console.log(n, typeof v, v.type, v.name, v.size, String(v).slice(0,50)); return real(a,b); }; });
    await page.goto(engine.url);
    await page.click('a[href="docs"]');

    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    const dialog = page.locator('.modal-ux');
    await dialog.locator('input').first().fill(key);
    await dialog.getByRole('button', { name: /apply/i }).first().click();
    await dialog.getByRole('button', { name: 'Close', exact: true }).first().click();

    const operation = page.locator('.opblock', { has: page.locator('[data-path="/diagnose"]') });
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('tr[data-property-name="clinical_history"] input[type="text"]').fill(HISTORY);
    await operation.locator('tr[data-property-name="language"] select').selectOption('es');
    await operation.getByRole('button', { name: 'Execute' }).click();
    await expectAnswer(operation);
    expect(house?.model.requests.at(-1)?.rawBody).toContain(HISTORY);

    // The other content type, and a file with the form.
    await operation.locator('select.content-type').first().selectOption('application/json');
    await operation
      .locator('textarea')
      .first()
      .fill(JSON.stringify({ clinical_history: HISTORY, language: 'es' }));
    await operation.getByRole('button', { name: 'Clear' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await expectAnswer(operation);
    await operation.locator('select.content-type').first().selectOption('multipart/form-data');
    await operation
      .locator('tr[data-property-name="files"] input[type="file"]')
      .setInputFiles({ name: 'x-ray.png', mimeType: 'image/png', buffer: makePng() });
    await operation.locator('tr[data-property-name="language"] select').selectOption('es');
    await operation.getByRole('button', { name: 'Clear' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await expectAnswer(operation);
    expect(house?.model.requests.at(-1)?.rawBody).toContain('data:image/png;base64,');
    expect(house?.model.requests).toHaveLength(3);
    expect(outside).toEqual([]);
  });
});

/** What the page shows as the server's answer. */
async function expectAnswer(operation: Locator): Promise<void> {
  const answer = operation.locator('.live-responses-table');
  await answer.locator('.response-col_status').filter({ hasText: /\d{3}/ }).waitFor();
  const shown = await answer.locator('.response-col_description .microlight').first().innerText();
  const status = await answer.locator('.response-col_status').last().innerText();
  expect([status.trim().slice(0, 3), shown]).toEqual(['200', expect.anything()]);
  expect(JSON.parse(shown)).toEqual(expectedDiagnosis('es'));
}
