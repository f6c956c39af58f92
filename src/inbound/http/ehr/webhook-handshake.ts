// The handshake of CloudEvents over HTTP (Web Hooks for Event Delivery 1.0): a sender asks by OPTIONS whether it may deliver events here. The
// answer promises nothing else: each delivery is authenticated by itself.
import type { RequestHandler } from 'express';
import type { Sites } from '../../../ports/sites.ts';
import { entrancesOf } from './ehr-sender.ts';
import { findOpenSite, noSite } from './ehr-sites.ts';

/** The name of the sending system, in the form of a DNS name, perhaps with a port. */
const ORIGIN = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})(?::\d{1,5})?$/;
/** The engine sets no rate: a sender that is too fast gets 503 with a Retry-After. */
const ANY_RATE = '*';

/** An OPTIONS request without a valid `WebHook-Request-Origin` is no handshake, and goes on to the next handler. */
export function makeWebhookHandshake({ sites }: { readonly sites: Pick<Sites, 'current'> }): RequestHandler {
  return (req, res, next) => {
    const origins = req.headersDistinct['webhook-request-origin'] ?? [];
    const [origin = ''] = origins;
    if (origins.length !== 1 || !ORIGIN.test(origin)) return next();
    const site = findOpenSite(sites, String(req.params['site']));
    if (entrancesOf(site).length === 0) throw noSite();
    res.setHeader('allow', 'POST');
    res.setHeader('webhook-allowed-origin', origin);
    res.setHeader('webhook-allowed-rate', ANY_RATE);
    res.status(200).end();
  };
}
