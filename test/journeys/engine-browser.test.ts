// The engine in a browser: the first page, the documentation, and requests that are tried there.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { makeAudio } from '../support/audio-samples.ts';
import { CHROMIUM_ARGUMENTS, findChromium } from '../support/chromium.ts';
import { makePng } from '../support/file-samples.ts';
import { expectedDiagnosis } from '../support/journey-diagnosis.ts';
import { HISTORY, openTarget, type Target } from '../support/journey-hostile.ts';

let target: Target;
let browser: Browser | undefined;
let page: Page;
let diagnose: Locator;
const outside: string[] = [];

beforeAll(async () => {
  target = await openTarget();
  browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: [...CHROMIUM_ARGUMENTS] });
  page = await browser.newPage();
  page.setDefaultTimeout(50_000);
  page.on('request', (request) => {
    if (!request.url().startsWith(target.engine.url) && !request.url().startsWith('data:')) outside.push(request.url());
  });
});
afterAll(async () => {
  await browser?.close();
  await target?.close();
});

function operationAt(path: string): Locator {
  return page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) });
}

function row(operation: Locator, name: string): Locator {
  return operation.locator(`tr[data-property-name="${name}"]`);
}

/** The server's answer that the page shows. */
async function execute(operation: Locator): Promise<{ readonly status: string; readonly body: unknown }> {
  const clear = operation.getByRole('button', { name: 'Clear' });
  if (await clear.isVisible()) await clear.click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  const answer = operation.locator('.live-responses-table');
  const shown = await answer.locator('.response-col_description .microlight').first().innerText();
  const status = await answer.locator('tbody .response-col_status').first().innerText();
  return { status: status.trim().slice(0, 3), body: JSON.parse(shown) as unknown };
}

describe('in a browser', () => {
  it('the first page in a browser leads to the documentation, which asks for a key', async () => {
    await page.goto(target.engine.url);
    await page.click('a[href="docs"]');
    diagnose = operationAt('/diagnose');
    await diagnose.locator('.opblock-summary-control').click();
    expect(await execute(diagnose)).toMatchObject({ status: '401', body: { statusCode: 401 } });

    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    const dialog = page.locator('.modal-ux');
    await dialog.locator('input').first().fill(target.key);
    await dialog.getByRole('button', { name: /apply/i }).first().click();
    await dialog.getByRole('button', { name: 'Close', exact: true }).first().click();
  });

  it('a history that is tried out in the documentation gets a diagnosis', async () => {
    await row(diagnose, 'clinical_history').locator('input[type="text"]').fill(HISTORY);
    await row(diagnose, 'language').locator('select').selectOption('es');
    expect(await execute(diagnose)).toEqual({ status: '200', body: expectedDiagnosis('es') });
    expect(target.model.requests.at(-1)?.rawBody).toContain(HISTORY);
  });

  it('a history with a file that is tried out in the documentation gets a diagnosis', async () => {
    await row(diagnose, 'files').locator('.json-schema-form-item-add').click();
    const chosen = { name: 'x-ray.png', mimeType: 'image/png', buffer: makePng() };
    await row(diagnose, 'files').locator('input[type="file"]').setInputFiles(chosen);
    expect(await execute(diagnose)).toEqual({ status: '200', body: expectedDiagnosis('es') });
    expect(target.model.requests.at(-1)?.rawBody).toContain('data:image/png;base64,');
  });

  it('a recording that is tried out in the documentation gets a note', async () => {
    const transcribe = operationAt('/transcribe');
    await transcribe.locator('.opblock-summary-control').click();
    await row(transcribe, 'custom_template').locator('input[type="text"]').fill('');
    const chosen = { name: 'visit.wav', mimeType: 'audio/wav', buffer: Buffer.from(makeAudio('wav', 40_000)) };
    await row(transcribe, 'file').locator('input[type="file"]').setInputFiles(chosen);
    expect(await execute(transcribe)).toMatchObject({ status: '200', body: { note: { sections: expect.any(Array) } } });
    expect(target.speech.requests.at(-1)?.receivedBytes).toBe(40_000);
  });

  it('the pages in a browser send no requests to other servers', () => {
    expect(outside).toEqual([]);
  });
});
