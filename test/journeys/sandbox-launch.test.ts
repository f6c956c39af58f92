// From the chart in the sandbox's EHR to the signed draft, in a real browser: the EHR launches the engine, the clinician reads the draft of the open
// visit, and signs it.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { openSandboxEngine } from '../eval/play-sandbox.ts';
import { CHROMIUM_ARGUMENTS, findChromium } from '../support/chromium.ts';
import type { Engine } from '../support/engine.ts';
import { eventually } from '../support/journey-runs.ts';

const LIMIT_MS = 120_000;
const [VISIT, OTHER] = ['en-chest-pressure', 'en-low-mood'];

let engine: Engine;
let browser: Browser;
let ehr: string;
const complaints: string[] = [];

beforeAll(async () => {
  engine = await openSandboxEngine();
  ({ baseUrl: ehr } = (await engine.ops('GET', '/sandbox')) as { readonly baseUrl: string });
  browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: [...CHROMIUM_ARGUMENTS] });
  for (const visit of [VISIT, OTHER]) await engine.ops('POST', `/sandbox/visits/${visit}/finish`);
  await Promise.all([VISIT, OTHER].map(writtenRun));
}, LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await engine?.stop();
});

async function runOf(visit: string) {
  const { runs } = (await engine.ops('GET', `/runs?encounter=Encounter/${visit}`)) as {
    readonly runs: readonly {
      readonly id: string;
      readonly status: string;
      readonly review?: { readonly reviewer: string };
    }[];
  };
  return runs.find(({ status }) => status !== 'skipped');
}

const writtenRun = (visit: string) =>
  eventually(async () => {
    const run = await runOf(visit);
    return run?.status === 'written' ? run : undefined;
  });

async function launchUrl(visit: string, practitioner?: string): Promise<string> {
  const body = practitioner === undefined ? {} : { practitioner };
  const opened = await engine.ops('POST', `/sandbox/visits/${visit}/open`, body);
  return (opened as { readonly launchUrl: string }).launchUrl;
}

async function newPage(context?: BrowserContext): Promise<Page> {
  const page = await (context ?? (await browser.newContext())).newPage();
  page.setDefaultTimeout(50_000);
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return page;
}

describe('a launch from the chart', () => {
  it(
    'leads to the draft of the visit that is open there, and to no other',
    async () => {
      const page = await newPage();
      await page.goto(await launchUrl(VISIT));
      const run = await runOf(VISIT);
      expect(new URL(page.url()).pathname).toBe(`/review/${run?.id}`);
      const chart = (await (await fetch(`${ehr}/Encounter/${VISIT}`)).json()) as { subject: { reference: string } };
      const patient = (await (await fetch(`${ehr}/${chart.subject.reference}`)).json()) as { birthDate: string };
      expect(await page.locator('header').innerText()).toContain(patient.birthDate);
      expect(await page.getByRole('alert').first().innerText()).toContain('RED');
      const other = await runOf(OTHER);
      const answer = await page.goto(`${engine.url}/review/${other?.id}`);
      expect([answer?.status(), await page.locator('h1').innerText()]).toEqual([404, 'There is no such draft']);
      await page.context().close();
    },
    LIMIT_MS,
  );

  it(
    'ends with the signature of the clinician whom the EHR named',
    async () => {
      const page = await newPage();
      await page.goto(await launchUrl(VISIT));
      await page.getByRole('button', { name: 'Approve and sign' }).click();
      await page.getByText('Signed by').waitFor();
      const signed = await eventually(async () => {
        const run = await runOf(VISIT);
        return run?.status === 'written' && run.review !== undefined ? run : undefined;
      });
      expect(signed.review?.reviewer).toBe('Practitioner/sbx-p-01');
      await page.context().close();
    },
    LIMIT_MS,
  );

  it('is refused in words to a clinician who left, and used once', async () => {
    const [address, used] = [await launchUrl(OTHER, 'Practitioner/sandbox-nurse'), await launchUrl(OTHER)];
    const removed = await fetch(`${ehr}/Practitioner/sandbox-nurse`, { method: 'DELETE' });
    expect(removed.ok).toBe(true);
    const page = await newPage();
    const answer = await page.goto(address);
    expect(answer?.status()).toBe(403);
    expect(await page.locator('main').innerText()).toContain('does not have you among its clinicians any more');
    await page.goto(used);
    await page.getByText('Signed in as').waitFor();
    const again = await (await newPage()).goto(used);
    expect(again?.status()).toBe(403);
  });

  it('breaks no rule of the page’s own policy', () => {
    expect(complaints.filter((text) => !/status of 40[34]/.test(text))).toEqual([]);
  });
});
