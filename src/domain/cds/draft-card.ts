// Makes the card of a draft that waits. It has nothing of the draft's text: only that there is one, where it is, its triage, and how much the check
// has marked.
import type { DraftFacts } from '../run/draft-facts.ts';
import { OVERRIDE_REASONS, OVERRIDE_SYSTEM } from './cds-services.ts';

const CARD_INDICATORS = ['info', 'warning', 'critical'] as const;
export type CardIndicator = (typeof CARD_INDICATORS)[number];

/** As CDS Hooks 2.0 has it. */
export type CdsCard = {
  readonly uuid: string;
  /** Less than 140 characters. */
  readonly summary: string;
  readonly indicator: CardIndicator;
  readonly detail: string;
  readonly source: { readonly label: string; readonly url: string };
  readonly links?: readonly {
    readonly label: string;
    readonly url: string;
    readonly type: 'smart';
    readonly appContext: string;
  }[];
  readonly overrideReasons: readonly { readonly code: string; readonly system: string; readonly display: string }[];
};

/** A draft of a patient that waits for the decision of a clinician. */
export type PatientDraft = {
  readonly run: string;
  /** `Encounter/2` */
  readonly encounter: string;
  /** It is in the chart as an unsigned draft. Otherwise nothing is in the chart. */
  readonly isInChart: boolean;
  /** Absent for drafts of earlier versions. */
  readonly facts?: DraftFacts;
};

export type CardContext = {
  readonly uuid: string;
  /** The visit that is open in the EHR: `Encounter/2` */
  readonly encounter?: string | undefined;
  /** The person who looks at the chart is a reviewer of the site. */
  readonly isReviewer: boolean;
  readonly publicUrl: string;
  /** Where a clinician opens the review from the chart; absent if the site has no launch. */
  readonly launchUrl?: string | undefined;
};

export function draftCard(draft: PatientDraft, context: CardContext): CdsCard {
  const { uuid, publicUrl, launchUrl } = context;
  const indicator = indicatorOf(draft.facts);
  return {
    uuid,
    summary: summaryOf(draft, context, indicator),
    indicator,
    detail: detailOf(draft, indicator),
    source: { label: 'Chartwright', url: publicUrl },
    ...(launchUrl !== undefined && {
      links: [{ label: 'Open the review', url: launchUrl, type: 'smart', appContext: draft.encounter }],
    }),
    overrideReasons: Object.entries(OVERRIDE_REASONS).map(([code, display]) => ({
      code,
      system: OVERRIDE_SYSTEM,
      display,
    })),
  };
}

function indicatorOf(facts: DraftFacts | undefined): CardIndicator {
  if (facts?.triage === 'RED') return 'critical';
  return facts !== undefined && (facts.missing > 0 || facts.marks.length > 0) ? 'warning' : 'info';
}

function summaryOf({ encounter }: PatientDraft, context: CardContext, indicator: CardIndicator): string {
  const visit = encounter === context.encounter ? 'this visit' : 'another visit';
  if (indicator === 'critical') return `RED triage in the AI draft of ${visit}, which no one has reviewed yet`;
  const review = context.isReviewer ? 'your review' : 'a review';
  const care = indicator === 'warning' ? ': the check has found something' : '';
  return `AI draft of ${visit} waits for ${review}${care}`;
}

function detailOf({ isInChart, facts }: PatientDraft, indicator: CardIndicator): string {
  const urgency =
    indicator === 'critical' ? ['The machine took this visit for urgent. Read it now, and decide for yourself.'] : [];
  const place = isInChart ? 'It is in the chart as an unsigned draft.' : 'Nothing of it is in the chart yet.';
  return [...urgency, place, ...checkWords(facts)].join(' ');
}

function checkWords(facts: DraftFacts | undefined): readonly string[] {
  const { marks = [], missing = 0 } = facts ?? {};
  const marked = marks.reduce((sum, { count }) => sum + count, 0);
  return [
    ...(marked > 0 ? [`The check doubts ${counted(marked, 'statement')} of it.`] : []),
    ...(missing > 0
      ? [`${counted(missing, 'thing')} that may have been said ${missing === 1 ? 'is' : 'are'} not in it.`]
      : []),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
