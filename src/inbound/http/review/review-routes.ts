// /review and /review/{run}: the pages on which a clinician reads a draft and decides about it, in a window or in a frame of the EHR. They use the same
// flows as /ops, and no address of /ops.
import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import { AppError, asAppError, type ErrorCode } from '../../../domain/errors.ts';
import { LANGUAGES, type Language } from '../../../domain/language.ts';
import type { Access } from '../../../domain/people/caller.ts';
import { PURPOSES } from '../../../domain/people/purpose.ts';
import type { BreakGlass } from '../../../flows/people/break-glass.ts';
import type { OwnAccount } from '../../../flows/people/own-account.ts';
import type { VisitPage } from '../../../flows/people/visit-page.ts';
import type { ListDrafts } from '../../../flows/reviews/list-drafts.ts';
import type { DraftReading, ReadDraft } from '../../../flows/reviews/read-draft.ts';
import type { ReviewRun } from '../../../flows/reviews/review-run.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import type { Sites } from '../../../ports/sites.ts';
import { breakGlassBody } from '../../../wire/break-glass.ts';
import { runId } from '../../../wire/ids.ts';
import { validate } from '../body/validate.ts';
import { launchKindOf } from '../launch/launch-cookies.ts';
import { sendFramedPage, setFramedHeaders } from '../pages/framed-page.ts';
import { html } from '../pages/html.ts';
import { isFromOwnPage } from '../people/own-pages-only.ts';
import { statusFor } from '../server/error-response.ts';
import { requestIdOf } from '../server/request-gate.ts';
import { closedPage } from './closed-page.ts';
import { draftModel } from './draft-model.ts';
import { draftPage } from './draft-page.ts';
import { listPage } from './list-page.ts';
import { type PagePlace, sendMessage, sendMessagePage } from './message-page.ts';
import { purposePage } from './purpose-page.ts';
import { orderOf } from './review-decision.ts';
import { readReviewForm } from './review-form.ts';
import { TEXTS } from './review-texts.ts';
import { type ReviewVisitor, reviewVisitor } from './review-visitor.ts';

export type ReviewDoorParts = {
  readonly visitPage: VisitPage;
  readonly listDrafts: Pick<ListDrafts, 'waiting'>;
  readonly readDraft: ReadDraft;
  readonly reviewRun: ReviewRun;
  readonly breakGlass: Pick<BreakGlass, 'open'>;
  readonly ownAccount: Pick<OwnAccount, 'setPurpose'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly logger: Pick<Logger, 'error'>;
  readonly runtime: Pick<Runtime, 'digest' | 'isSameDigest'>;
  /** The origin of PUBLIC_URL, from which its pages send their forms. */
  readonly ownOrigin: string;
  /** The path of PUBLIC_URL, without a slash at its end. */
  readonly base: string;
};

const MOST_DRAFTS = 50;

export function makeReviewRouter(parts: ReviewDoorParts): Router {
  const router = Router({ strict: true });
  router.all('/review', (req, res) => answerList(parts, req, res));
  router.all('/review/alive', (req, res) => answerAlive(parts, req, res));
  router.all('/review/purpose', (req, res) => takePurpose(parts, req, res));
  router.all('/review/:run', (req, res) => answerDraft(parts, req, res));
  router.use('/review', answerFailure(parts));
  return router;
}

async function answerList(parts: ReviewDoorParts, req: Request, res: Response): Promise<void> {
  requireMethod(req, res, 'GET', 'HEAD');
  const visitor = await reviewVisitor(req, res, parts.visitPage);
  const place = placeOf(parts, req, visitor);
  if (visitor.kind !== 'reviewer') return sendStranger(parts, res, { visitor, place });
  const { access, caller } = visitor;
  const isOfVisit = caller.opened?.encounter !== undefined;
  const after = req.query['after'];
  const page = { limit: MOST_DRAFTS, ...(typeof after === 'string' && { cursor: after }) };
  const { drafts, next } = await parts.listDrafts.waiting({ access, ...page });
  const [only] = drafts;
  if (isOfVisit && drafts.length === 1 && only !== undefined) return goTo(res, place, `review/${only.run.id}`);
  const listed = new Set(drafts.map(({ run }) => run.id));
  const others = (await parts.readDraft.ofVisit(access)).filter(({ run }) => !listed.has(run.id));
  const { sites } = parts.sites.current();
  const timeZoneOf = (site: string) => sites.get(site)?.settings.timeZone ?? 'UTC';
  const { language } = place;
  const model = {
    language,
    isOfVisit,
    drafts,
    others,
    reader: caller.name,
    timeZoneOf,
    accountAddress: accountAddress(place),
  };
  const body = listPage({ ...model, ...(next !== undefined && { next }) });
  const texts = TEXTS[language];
  sendFramedPage(res, { ...place, title: isOfVisit ? texts.visitTitle : texts.listTitle, body });
}

async function answerDraft(parts: ReviewDoorParts, req: Request, res: Response): Promise<void> {
  requireMethod(req, res, 'GET', 'HEAD', 'POST');
  const visitor = await reviewVisitor(req, res, parts.visitPage);
  const place = placeOf(parts, req, visitor);
  if (visitor.kind !== 'reviewer') return sendStranger(parts, res, { visitor, place });
  const id = runIdOf(req);
  if (req.method !== 'POST') return sendDraft(parts, res, { visitor, place, id });
  const fields = await readOwnForm(parts, req, res, visitor.formToken);
  try {
    const asked = { fields, id, access: visitor.access };
    await (fields.get('decision') === 'open' ? openChart(parts, asked) : decide(parts, asked));
  } catch (thrown) {
    const error = asAppError(thrown);
    if (!ANSWERED_BY_DRAFT.has(error.code)) throw thrown;
    res.status(statusFor('ops', error.code));
    const refusal = error.details?.join(' ') ?? error.message;
    return sendDraft(parts, res, { visitor, place, id, refusal });
  }
  // The browser asks anew, so that a reload decides nothing twice.
  goTo(res, place, id);
}

/** `forbidden`: the chart is restricted, and was closed again meanwhile. */
const ANSWERED_BY_DRAFT: ReadonlySet<string> = new Set<ErrorCode>(['conflict', 'invalidRequest', 'forbidden']);

/** Who writes is there: the session does not end during a long edit. */
async function answerAlive(parts: ReviewDoorParts, req: Request, res: Response): Promise<void> {
  requireMethod(req, res, 'GET');
  const { kind } = isFromOwnPage(req, parts.ownOrigin)
    ? await reviewVisitor(req, res, parts.visitPage)
    : { kind: 'unknown' };
  setFramedHeaders(res, []);
  res.status(kind === 'unknown' ? 401 : 204).end();
}

type Place = PagePlace & { readonly language: Language; readonly isFrame: boolean };
type DraftOrder = {
  readonly visitor: Extract<ReviewVisitor, { kind: 'reviewer' }>;
  readonly place: Place;
  readonly id: string;
  readonly refusal?: string;
};

async function sendDraft(
  parts: ReviewDoorParts,
  res: Response,
  { visitor, place, id, refusal }: DraftOrder,
): Promise<void> {
  const { access, caller } = visitor;
  const reading = await readOpen(parts, { id, access });
  const isOnlyOne = caller.opened?.encounter !== undefined && (await parts.readDraft.ofVisit(access)).length < 2;
  const reader = { formToken: visitor.formToken, reader: caller.name, language: place.language };
  const addresses = { listAddress: isOnlyOne ? undefined : '../review', accountAddress: accountAddress(place) };
  if (reading === undefined) {
    const texts = TEXTS[place.language];
    const body = closedPage({ ...reader, ...addresses, run: id, refusal }, texts);
    res.status(403);
    return sendFramedPage(res, { ...place, title: texts.pageTitle, body });
  }
  const model = draftModel(reading, { ...reader, ...addresses, refusal });
  sendFramedPage(res, { ...place, title: TEXTS[place.language].pageTitle, body: draftPage(model) });
}

/** Undefined if the chart is restricted, and not open to the reader. */
async function readOpen(
  { readDraft }: Pick<ReviewDoorParts, 'readDraft'>,
  order: { readonly id: string; readonly access: Access },
): Promise<DraftReading | undefined> {
  try {
    return await readDraft.read(order);
  } catch (thrown) {
    if (asAppError(thrown).code === 'forbidden') return undefined;
    throw thrown;
  }
}

type Deciding = { readonly fields: ReadonlyMap<string, string>; readonly id: string; readonly access: Access };

async function decide(parts: ReviewDoorParts, { fields, id, access }: Deciding): Promise<void> {
  const note = await parts.readDraft.shownNote({ id, access });
  const order = orderOf(fields, { id, note, access });
  // A decision is completed even if the client disconnects.
  await parts.reviewRun(order, new AbortController().signal);
}

async function openChart({ breakGlass }: ReviewDoorParts, { fields, id, access }: Deciding): Promise<void> {
  const { reason } = validate(breakGlassBody, { reason: fields.get('reason') });
  await breakGlass.open({ id, reason, access });
}

async function takePurpose(parts: ReviewDoorParts, req: Request, res: Response): Promise<void> {
  requireMethod(req, res, 'POST');
  const visitor = await reviewVisitor(req, res, parts.visitPage);
  const place = placeOf(parts, req, visitor);
  if (visitor.kind === 'unknown') return sendStranger(parts, res, { visitor, place });
  const fields = await readOwnForm(parts, req, res, visitor.formToken);
  const purpose = PURPOSES.find((one) => one === fields.get('purpose'));
  if (purpose === undefined) throw new AppError('invalidRequest', 'Choose one of the purposes');
  await parts.ownAccount.setPurpose(purpose, visitor.caller);
  goTo(res, place, '../review');
}

/** Sent by a page of the engine, and drawn for the session that sends it: another visit may be open in this browser by now. */
async function readOwnForm(
  { ownOrigin, runtime }: ReviewDoorParts,
  req: Request,
  res: Response,
  formToken: string,
): Promise<ReadonlyMap<string, string>> {
  if (!isFromOwnPage(req, ownOrigin)) {
    throw new AppError('forbidden', 'This form was not sent by a page of Chartwright. Open the draft again.');
  }
  const fields = await readReviewForm(req, res);
  if (!runtime.isSameDigest(runtime.digest(fields.get('form') ?? ''), runtime.digest(formToken))) {
    throw new AppError(
      'forbidden',
      'Another session was opened in this browser since then. Open the draft again from the chart.',
    );
  }
  return fields;
}

function sendStranger(
  { base }: Pick<ReviewDoorParts, 'base'>,
  res: Response,
  { visitor, place }: { readonly visitor: Exclude<ReviewVisitor, { kind: 'reviewer' }>; readonly place: Place },
): void {
  const texts = TEXTS[place.language];
  if (visitor.kind === 'without-purpose') {
    const body = purposePage({ formToken: visitor.formToken, root: place.root }, texts);
    sendFramedPage(res, { ...place, title: texts.whyRead, body });
  } else if (visitor.kind === 'no-reviewer') {
    res.status(403);
    sendMessage(res, { ...place, title: texts.noRole, lead: texts.noRoleLead });
  } else {
    res.status(401);
    // In a frame no one could type a password: the browser shows whose page it is to no one.
    const more =
      !place.isFrame && html`<p><a href="${place.root}sign-in?return=${base}/review">${texts.signIn}</a></p>`;
    sendMessage(res, { ...place, title: texts.notSignedIn, lead: texts.howToComeIn, ...(more && { more }) });
  }
}

/** A page without a session has nothing to hide: it may be in any frame that a site of this engine names. */
function placeOf({ sites }: Pick<ReviewDoorParts, 'sites'>, req: Request, visitor?: ReviewVisitor): Place {
  const isFrame = launchKindOf(req) === 'frame';
  const opened = visitor !== undefined && visitor.kind !== 'unknown' ? visitor.caller.opened : undefined;
  const isUnknown = visitor === undefined || visitor.kind === 'unknown';
  const all = [...sites.current().sites.values()].filter(({ name }) => isUnknown || name === opened?.site);
  const frameOrigins = isFrame ? [...new Set(all.flatMap(({ settings }) => settings.launch?.frameOrigins ?? []))] : [];
  const language = LANGUAGES.find((one) => one === req.acceptsLanguages(...LANGUAGES)) ?? 'en';
  return { root: req.path.startsWith('/review/') ? '../' : '', frameOrigins, language, isFrame };
}

/** A frame has no page of the account: its session ends with it. */
function accountAddress({ isFrame, root }: Place): string | undefined {
  return isFrame ? undefined : `${root}me`;
}

function goTo(res: Response, { frameOrigins }: PagePlace, address: string): void {
  setFramedHeaders(res, frameOrigins);
  res.redirect(303, address);
}

function requireMethod(req: Request, res: Response, ...methods: readonly string[]): void {
  if (methods.includes(req.method)) return;
  res.setHeader('allow', methods.join(', '));
  throw new AppError('methodNotAllowed', `This address takes ${methods.join(', ')}`);
}

/** An id with a wrong form is not searched for. */
function runIdOf(req: Request): string {
  const { success, data } = runId.safeParse(req.params['run']);
  if (!success) throw new AppError('notFound', 'There is no run with this id');
  return data;
}

function answerFailure(parts: ReviewDoorParts): ErrorRequestHandler {
  return async (thrown, req, res, next) => {
    const error = asAppError(thrown);
    if (res.headersSent || error.code === 'cancelled') return next(thrown);
    if (error.code === 'internal')
      parts.logger.error('a page of the review failed', { requestId: requestIdOf(res), thrown });
    if (error.retryAfterSeconds !== undefined) res.setHeader('retry-after', Math.ceil(error.retryAfterSeconds));
    const place = { ...placeOf(parts, req), root: req.originalUrl.startsWith('/review/') ? '../' : '' };
    res.status(statusFor('ops', error.code));
    const texts = TEXTS[place.language];
    if (error.code === 'notFound')
      return sendMessage(res, { ...place, title: texts.notFound, lead: texts.notFoundLead });
    sendMessagePage(res, { ...place, kind: 'failed', error });
  };
}
