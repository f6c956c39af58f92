// The words of a notice: what happened at which site, and where to look. It names no patient and no person, because mail is read on the way.
import type { Notice, NoticeKind } from '../../ports/notices.ts';

export type NoticeWords = { readonly subject: string; readonly text: string };

/** What a receiver of a webhook gets, and the link of a mail. */
export type NoticeFacts = {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly site: string;
  readonly run?: string;
  readonly url: string;
  readonly details: Notice['details'];
};

const SENTENCES: Readonly<Record<NoticeKind, string>> = {
  'break-glass': 'a restricted chart was opened by break-glass',
  'review-due': 'a draft waits for a review',
  'review-overdue': 'a draft has waited too long for a review',
  red: 'a RED triage needs a clinician now',
  delegated: 'a draft was handed to you for review',
};

export function noticeFacts({ id, kind, site, run, details }: Notice, publicUrl: string): NoticeFacts {
  const path = run === undefined ? '/review' : `/review/${run}`;
  return { id, kind, site, ...(run !== undefined && { run }), url: new URL(path, publicUrl).href, details };
}

export function noticeWords({ kind, site, run, url, details }: NoticeFacts): NoticeWords {
  const sentence = SENTENCES[kind];
  const lines = [
    `At ${site}: ${sentence}.`,
    '',
    url,
    '',
    ...(run === undefined ? [] : [`Run: ${run}`]),
    ...Object.entries(details).map(([name, value]) => `${name}: ${value}`),
    'This message was sent by Chartwright. It holds no patient data; answers to it are not read.',
  ];
  return { subject: `[Chartwright] ${site}: ${sentence}`, text: `${lines.join('\n')}\n` };
}
