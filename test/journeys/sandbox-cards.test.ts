// From the end of a visit to the card in the EHR: a whole engine and the hospital of the sandbox, which calls it by CDS Hooks. The command line is
// that of a person.
import { createHash, randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';
import { runCli } from '../cli/run-cli.ts';
import { openSandboxEngine } from '../eval/play-sandbox.ts';
import { CHROMIUM_ARGUMENTS, findChromium } from '../support/chromium.ts';
import { type Engine, OPERATOR_KEY } from '../support/engine.ts';

const LIMIT_MS = 120_000;
const VISIT = 'en-chest-pressure';

type Opened = {
  readonly practitioner: string;
  readonly cards: readonly {
    readonly summary: string;
    readonly indicator: string;
    readonly detail: string;
    readonly link?: { readonly url: string; readonly appContext: string };
  }[];
  readonly launchUrl: string;
};

let engine: Engine;
let ehr: string;
let browser: Browser | undefined;

beforeAll(async () => {
  engine = await openSandboxEngine();
  ({ baseUrl: ehr } = (await engine.ops('GET', '/sandbox')) as { readonly baseUrl: string });
}, LIMIT_MS);
afterAll(async () => {
  await browser?.close();
  await engine?.stop();
});

async function theBrowser(): Promise<Browser> {
  browser ??= await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: [...CHROMIUM_ARGUMENTS] });
  return browser;
}

async function cli(...args: readonly string[]): Promise<string> {
  const environment = { CHARTWRIGHT_URL: engine.url, OPERATOR_KEY };
  const { code, stdout, stderr } = await runCli({ args: ['sandbox', ...args], environment, folder: tmpdir() });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const opened = async (visit: string, ...more: readonly string[]): Promise<Opened> =>
  JSON.parse(await cli('open', visit, ...more, '--json')) as Opened;

/** Where the EHR sends the browser back to, if it takes this launch. */
async function authorized(launch: string): Promise<URL> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'chartwright-sandbox',
    redirect_uri: `${engine.url}/launch/sandbox/callback`,
    scope: 'launch openid fhirUser',
    state: 'a state',
    aud: ehr,
    launch,
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const response = await fetch(`${ehr}/oauth2/authorize?${query}`, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '');
}

describe('the cards of a visit in the EHR of the sandbox', () => {
  it('are none before the visit is finished, and the command says what to do', async () => {
    const text = await cli('open', VISIT);
    expect(text).toContain(`No card: no draft of this patient waits for a review. Finish the visit: `);
    expect(text).toContain(`${engine.url}/launch/sandbox?iss=`);
  });

  it(
    'show a RED triage that no one has reviewed as a critical card, with a link that launches the engine from the chart',
    async () => {
      await cli('finish', VISIT, '--watch');
      const text = await cli('open', VISIT);
      expect(text).toContain('[critical] RED triage in the AI draft of this visit, which no one has reviewed yet\n');
      const { practitioner, cards, launchUrl } = await opened(VISIT);
      expect(practitioner).toBe('Practitioner/sbx-p-01');
      expect(cards).toMatchObject([
        { indicator: 'critical', link: { url: `${engine.url}/launch/sandbox`, appContext: `Encounter/${VISIT}` } },
      ]);
      const address = new URL(launchUrl);
      expect([`${address.origin}${address.pathname}`, address.searchParams.get('iss')]).toEqual([
        cards[0]?.link?.url,
        ehr,
      ]);
      const back = await authorized(address.searchParams.get('launch') ?? '');
      expect(back.href).toMatch(new RegExp(`^${engine.url}/launch/sandbox/callback\\?code=`));
    },
    LIMIT_MS,
  );

  it('hold no word of the draft and of the patient', async () => {
    const text = JSON.stringify((await opened(VISIT)).cards).replaceAll(VISIT, '');
    const chart = await cli('show', VISIT);
    expect(chart).toMatch(/chest/i);
    expect(text).not.toMatch(/chest|pressure|pain|heart|SBX-\d/i);
  });

  it('are not shown for the chart of another patient, and are opened as another practitioner', async () => {
    const { practitioner, cards } = await opened('en-low-mood', '--as', 'sandbox-nurse');
    expect([practitioner, cards]).toEqual(['Practitioner/sandbox-nurse', []]);
  });

  it(
    'lead to the review of this visit in a browser, once',
    async () => {
      const { launchUrl } = await opened(VISIT);
      const page = await (await theBrowser()).newPage();
      await page.goto(launchUrl);
      expect(page.url()).toMatch(new RegExp(`^${engine.url}/review/[0-9a-f-]{36}$`));
      expect(await page.locator('body').innerText()).toMatch(/RED/);
      const again = await page.goto(launchUrl);
      expect([again?.status(), page.url().startsWith(`${engine.url}/launch/sandbox/callback?error=`)]).toEqual([
        403,
        true,
      ]);
    },
    LIMIT_MS,
  );

  it(
    'are gone once the draft is approved',
    async () => {
      const { runs } = (await engine.ops('GET', `/runs?encounter=Encounter/${VISIT}`)) as {
        readonly runs: readonly { readonly id: string; readonly revision: number }[];
      };
      const [run] = runs;
      await engine.ops('POST', `/runs/${run?.id}/review`, {
        decision: 'approve',
        revision: run?.revision,
        // The clinician of the browser has it open.
        takeOver: true,
      });
      expect((await opened(VISIT)).cards).toEqual([]);
    },
    LIMIT_MS,
  );

  it('are refused to a caller who is not the EHR', async () => {
    const { services } = (await (await fetch(`${engine.url}/cds-services`)).json()) as {
      readonly services: readonly { readonly id: string; readonly hook: string }[];
    };
    expect(services.map(({ hook }) => hook)).toEqual(['patient-view', 'encounter-discharge']);
    const call = {
      method: 'POST',
      headers: { authorization: 'Bearer a.b.c', 'content-type': 'application/json' },
      body: '{}',
    };
    const response = await fetch(`${engine.url}/cds-services/${services[0]?.id}`, call);
    expect(response.status).toBe(401);
  });
});
