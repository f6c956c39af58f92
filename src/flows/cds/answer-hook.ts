// Answers a call by CDS Hooks: which drafts of the patient wait. From the database alone, in two short queries, while the clinician opens the
// chart.
import { CDS_SERVICES, type CdsServiceId } from '../../domain/cds/cds-services.ts';
import { type CardIndicator, type CdsCard, draftCard } from '../../domain/cds/draft-card.ts';
import { REVIEWABLE_REASONS } from '../../domain/run/reviewable.ts';
import { isSignedWithoutReview } from '../../domain/site/signed-without-review.ts';
import type { PatientDrafts } from '../../ports/patient-drafts.ts';
import type { People } from '../../ports/people.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';

export type HookCall = {
  readonly service: CdsServiceId;
  readonly site: LoadedSite;
  /** Who looks at the chart: `Practitioner/7`. */
  readonly user: string;
  /** Ids without a type. */
  readonly patient: string;
  readonly encounter?: string | undefined;
};

/** Throws what the stores throw. */
export type AnswerHook = (call: HookCall) => Promise<readonly CdsCard[]>;

export type AnswerHookParts = {
  readonly patientDrafts: PatientDrafts;
  readonly people: Pick<People, 'findByPractitioner'>;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
  readonly publicUrl: string;
  readonly onShown: (card: { readonly service: CdsServiceId; readonly indicator: CardIndicator }) => void;
};

/** More cards would not be read. */
const MOST_CARDS = 5;
const STAFF = /^(?:Practitioner|PractitionerRole)\//;

export function makeAnswerHook(parts: AnswerHookParts): AnswerHook {
  const { patientDrafts, people, runtime, onShown } = parts;
  const publicUrl = parts.publicUrl.replace(/\/+$/, '');
  return async ({ service, site, user, patient, encounter }) => {
    // Patients and relatives see their own chart: a draft is not for them.
    if (!STAFF.test(user)) return [];
    const { name, settings } = site;
    const isOfVisit = CDS_SERVICES[service].reach === 'encounter';
    const visit = encounter === undefined ? undefined : `Encounter/${encounter}`;
    const [drafts, reviewer] = await Promise.all([
      patientDrafts.list({
        site: name,
        patient: `Patient/${patient}`,
        ...(isOfVisit && visit !== undefined && { encounter: visit }),
        reasons: REVIEWABLE_REASONS,
        withWritten: !isSignedWithoutReview(settings, runtime.now()),
        limit: MOST_CARDS,
      }),
      people.findByPractitioner(name, user),
    ]);
    const cards = drafts.map((draft) =>
      draftCard(draft, {
        uuid: runtime.makeUuid(),
        encounter: visit,
        isReviewer: reviewer !== undefined && reviewer.disabledAt === undefined,
        publicUrl,
        launchUrl: settings.launch && `${publicUrl}/launch/${name}`,
      }),
    );
    for (const { indicator } of cards) onShown({ service, indicator });
    return cards;
  };
}
