// A clinician comes in from the EHR (SMART App Launch): the browser is sent to the EHR and comes back, and a session is opened in which nothing but the
// visit that is open there can be seen. Each launch is bound to its browser, and used once.
import { AppError } from '../../domain/errors.ts';
import type { OpenedEncounter } from '../../domain/people/caller.ts';
import { LaunchRefused } from '../../domain/people/launch-refusal.ts';
import { present } from '../../domain/present.ts';
import type { LaunchSettings } from '../../domain/site/launch-settings.ts';
import type { Audit } from '../../ports/audit.ts';
import type { EhrClinician, EhrSignIn } from '../../ports/ehr-sign-in.ts';
import type { PersonSessions, SessionKind } from '../../ports/person-sessions.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SignInAttempts } from '../../ports/sign-in-attempts.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';
import { randomSecret } from '../random-names.ts';
import { type FindReviewerParts, findReviewer } from './find-reviewer.ts';
import type { OpenSession } from './open-session.ts';

/** In a window, or in a frame of the EHR. */
export type LaunchKind = Exclude<SessionKind, 'cli'>;

export type LaunchOrder = {
  readonly site: string;
  /** `iss`, as the EHR wrote it. Absent: the person came without the chart, to the first EHR of the site. */
  readonly issuer?: string;
  /** The EHR's name of this launch. */
  readonly launch?: string;
  readonly kind: LaunchKind;
  /** The secret of the browser's cookie. */
  readonly browser: string;
};

export type LaunchAnswer = {
  readonly site: string;
  readonly kind: LaunchKind;
  readonly browser: string | undefined;
  /** What the EHR sent with the browser. */
  readonly answer: URLSearchParams;
  readonly address: string;
  readonly agent?: string | undefined;
};

export type LaunchedSession = { readonly secretText: string; readonly opened: OpenedEncounter };

/**
 * Throws LaunchRefused with words for the person, `notFound` if no one comes in from the EHR at this site, and what the EHR and the stores throw.
 */
export type Launch = {
  /** The address at the EHR to which the browser goes. */
  readonly begin: (order: LaunchOrder, signal: AbortSignal) => Promise<URL>;
  readonly finish: (answer: LaunchAnswer, signal: AbortSignal) => Promise<LaunchedSession>;
};

export type LaunchParts = FindReviewerParts & {
  readonly sites: Pick<Sites, 'current'>;
  readonly ehrSignIn: EhrSignIn;
  readonly signInAttempts: Pick<SignInAttempts, 'begin' | 'take'>;
  readonly personSessions: Pick<PersonSessions, 'setPurpose'>;
  readonly openSession: OpenSession;
  readonly audit: Pick<Audit, 'append'>;
  /** Where browsers reach the engine. */
  readonly publicUrl: string;
  readonly runtime: Pick<Runtime, 'makeSecret' | 'digest'>;
};

const ATTEMPT_MS = 600_000;

export function makeLaunch(parts: LaunchParts): Launch {
  const { signInAttempts, ehrSignIn, runtime } = parts;
  return {
    async begin({ site: name, issuer: given, launch, kind, browser }, signal) {
      const { site, settings } = findLaunch(parts, name);
      if (kind === 'frame' && settings.frameOrigins.length === 0) throw new LaunchRefused('frame');
      const issuer = issuerOf(settings, { given, launch });
      const [state, nonce, verifier] = [randomSecret(runtime), randomSecret(runtime), randomSecret(runtime)];
      const asked = { site, issuer, redirectUri: redirectUri(parts, name), state, nonce, verifier };
      const address = await ehrSignIn.begin(present({ ...asked, launch }), signal);
      await signInAttempts.begin({
        kind: 'launch',
        stateDigest: runtime.digest(state),
        browserDigest: runtime.digest(browser),
        details: { site: name, issuer, nonce, verifier, from: launch === undefined ? 'person' : 'chart' },
        lifeMs: ATTEMPT_MS,
      });
      return address;
    },

    async finish({ site: name, kind, browser, answer, address, agent }, signal) {
      const { site, settings } = findLaunch(parts, name);
      if (kind === 'frame' && settings.frameOrigins.length === 0) throw new LaunchRefused('frame');
      const state = answer.get('state') ?? '';
      const attempt = await takeAttempt(parts, { name, state, browser });
      const { issuer = '', nonce = '', verifier = '', from } = attempt;
      const asked = { site, issuer, redirectUri: redirectUri(parts, name), state, nonce, verifier };
      const clinician = await ehrSignIn.finish({ ...asked, answer }, signal);
      const person = await findReviewer(parts, { site: name, settings, clinician });
      const opened = openedOf(name, clinician);
      if (opened.encounter === undefined && from === 'chart') {
        throw new LaunchRefused('no-encounter', { practitioner: clinician.practitioner });
      }
      const order = { person: person.id, kind, way: 'launch', address, agent, opened } as const;
      const { session, secretText } = await parts.openSession(order);
      const details = { purpose: 'TREAT', session: session.id };
      await parts.audit.append({ action: 'person.purpose', actor: `person/${person.id}`, site: name, details });
      await parts.personSessions.setPurpose(session.id, 'TREAT');
      return { secretText, opened };
    },
  };
}

function findLaunch(
  { sites }: LaunchParts,
  name: string,
): { readonly site: LoadedSite; readonly settings: LaunchSettings } {
  const site = sites.current().sites.get(name);
  const settings = site?.settings.launch;
  if (site === undefined || settings === undefined) {
    throw new AppError(
      'notFound',
      'No one comes in from the EHR at this address: see launch in the settings of the site',
    );
  }
  return { site, settings };
}

type Came = { readonly given: string | undefined; readonly launch: string | undefined };

/** A launch of the chart names its EHR; letter by letter it must be one of the site's. */
function issuerOf({ issuers }: LaunchSettings, { given, launch }: Came): string {
  if (given === undefined && launch !== undefined) throw new LaunchRefused('no-issuer');
  const issuer = given ?? issuers[0];
  if (issuer === undefined || !issuers.includes(issuer)) throw new LaunchRefused('issuer');
  return issuer;
}

/** One address for each site: the answer of one hospital's EHR is never taken for that of another. */
function redirectUri({ publicUrl }: Pick<LaunchParts, 'publicUrl'>, site: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/launch/${site}/callback`;
}

type Taken = { readonly name: string; readonly state: string; readonly browser: string | undefined };

async function takeAttempt(
  { signInAttempts, runtime }: LaunchParts,
  { name, state, browser = '' }: Taken,
): Promise<Readonly<Record<string, string>>> {
  const taken = await signInAttempts.take('launch', runtime.digest(state), runtime.digest(browser));
  if (taken === undefined) throw new LaunchRefused('attempt', { fault: 'unknown' });
  if (taken === 'wrong-browser') throw new LaunchRefused('attempt', { fault: taken });
  if (taken['site'] !== name) throw new LaunchRefused('attempt', { fault: 'other-site' });
  return taken;
}

/** Without a visit the session is still one of this site alone: its EHR vouches for no one elsewhere. */
function openedOf(site: string, { encounter, patient }: EhrClinician): OpenedEncounter {
  return present({ site, encounter, patient: encounter === undefined ? undefined : patient });
}
