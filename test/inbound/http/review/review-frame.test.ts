// The review in a frame of the EHR, in a real browser: shown in a page of an origin that the site names, and in no other.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from '../../../support/chromium.ts';
import { type LocalServers, makeLocalServers } from '../../../support/local-servers.ts';
import { knownRun } from '../../../support/stored-runs.ts';
import { type ReviewEngine, startReviewEngine } from './review-engine.ts';

const LIMIT_MS = 60_000;

let servers: LocalServers;
let engine: ReviewEngine;
let browser: Browser;
let context: BrowserContext;
let [ehr, foreign] = ['', ''];

beforeAll(async () => {
  servers = makeLocalServers();
  engine = await startReviewEngine();
  // The engine is at localhost and the EHR at an IP address: for a browser they are two sites.
  const framing = () =>
    servers.serve((request, response) => {
      const src = new URL(request.url ?? '/', 'http://x').searchParams.get('src') ?? '';
      const address = src.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><title>EHR</title><iframe src="${address}" width="600" height="500"></iframe>`);
    });
  [ehr, foreign] = [await framing(), await framing()];
  engine.setSite('mercy', { frameOrigins: [ehr] });
  browser = await chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: [...CHROMIUM_ARGUMENTS, '--enable-features=PartitionedCookies'],
  });
}, LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await engine?.stop();
  await servers?.close();
});

async function openIn(framing: string): Promise<Page> {
  context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const launch = `${engine.baseUrl}/launch/mercy?${new URLSearchParams({ iss: engine.smart.fhirBase, launch: 'xyz' })}`;
  await page.goto(`${framing}/?${new URLSearchParams({ src: launch })}`);
  return page;
}

describe('The review in a frame', () => {
  it(
    'of the EHR opens from the chart, and takes a decision there',
    async () => {
      const run = await engine.aDraft();
      const page = await openIn(ehr);
      const frame = page.frameLocator('iframe');
      await frame.getByText('MRN-0042').waitFor();
      const cookies = (await context.cookies()).map(({ name, sameSite, secure }) => [name, sameSite, secure]);
      expect(cookies).toContainEqual(['__Host-chartwright-frame', 'None', true]);
      await frame.getByRole('button', { name: 'Approve and sign' }).click();
      await frame.getByText('Signed by Ines Okafor').waitFor();
      expect((await knownRun(engine.stores, run.id)).review?.decision).toBe('approve');
      await context.close();
    },
    LIMIT_MS,
  );

  it(
    'of a foreign page shows nothing of the draft',
    async () => {
      await engine.aDraft({ session: 's-7' });
      const page = await openIn(foreign);
      const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
      await page.reload();
      await refused;
      const frames = page.frames().filter((one) => one !== page.mainFrame());
      const texts = await Promise.all(frames.map((one) => one.evaluate('document.body.innerText')));
      expect(texts.join(' ')).not.toContain('MRN-0042');
      await context.close();
    },
    LIMIT_MS,
  );
});
