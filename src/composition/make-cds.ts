// Makes the flows of CDS Hooks.
import { makeAnswerHook } from '../flows/cds/answer-hook.ts';
import { makeIdentifyEhr } from '../flows/cds/identify-ehr.ts';
import { makeTakeFeedback } from '../flows/cds/take-feedback.ts';
import { makeEhrTokens } from '../outbound/cds/ehr-tokens.ts';
import { openHttpFetch } from '../platform/http-fetch.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Sites } from '../ports/sites.ts';
import type { EngineContext } from './engine-context.ts';
import type { Stores } from './make-stores.ts';

type CdsParts = { readonly stores: Stores; readonly sites: Sites; readonly publicUrl: string };

export function makeCds({ metrics, tracing, shutdown }: EngineContext, { stores, sites, publicUrl }: CdsParts) {
  const runtime = systemRuntime;
  const http = openHttpFetch({ tracing });
  shutdown.add({ name: 'keys of EHRs', close: async () => http.close() });
  const ehrTokens = makeEhrTokens({ fetch: http.fetch, now: runtime.now });
  return {
    identifyEhr: makeIdentifyEhr({ ...stores, sites, ehrTokens, publicUrl }),
    answerHook: makeAnswerHook({ ...stores, runtime, publicUrl, onShown: metrics.cdsCardShown }),
    takeFeedback: makeTakeFeedback({ ...stores, onTaken: metrics.cdsFeedbackTaken }),
  };
}
