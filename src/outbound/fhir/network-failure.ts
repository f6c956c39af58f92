// What the network's own errors mean: what went wrong, in our words, and whether anything can have reached the other side. In doubt it can.
import { FetchFailure } from '../../platform/http-fetch.ts';
import { TransportFailure, type TransportFailureKind } from './transport-failure.ts';

type Circumstances = {
  /** Of the other side, for messages: `The EHR`. */
  readonly who: string;
  /** A call that comes before the one to the EHR: whatever became of it, the EHR got nothing. */
  readonly isBeforeCall?: boolean;
};

type Meaning = { readonly kind: TransportFailureKind; readonly what: string; readonly isPassing: boolean };

/** Of connections that were never made, in the words of every fetch. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const CERTIFICATE =
  /^(?:CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|ERR_TLS_CERT_|CRL_|PATH_LENGTH_)/;
/** The other side breaks off before it has read anything: our certificate is not to its liking, or is missing. */
const REFUSED_BY_ALERT =
  /ALERT_(?:CERTIFICATE|BAD_CERTIFICATE|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED|HANDSHAKE)/;

export function toTransportFailure(thrown: unknown, { who, isBeforeCall = false }: Circumstances): TransportFailure {
  if (thrown instanceof TransportFailure) return thrown;
  if (nameOf(thrown) === 'TimeoutError') {
    const message = `${who} did not answer in time`;
    return new TransportFailure(message, { kind: 'timeout', wasSent: !isBeforeCall, isPassing: true, cause: thrown });
  }
  const code = codeOf(thrown);
  const { kind, what, isPassing } = meaningOf(code);
  const wasSent = !isBeforeCall && !isSurelyUnsent(thrown, code);
  return new TransportFailure(`${who} ${what}`, { kind, wasSent, isPassing, cause: thrown });
}

function isSurelyUnsent(thrown: unknown, code: string): boolean {
  if (thrown instanceof FetchFailure) return !thrown.wasSent || REFUSED_BY_ALERT.test(code);
  return NEVER_CONNECTED.has(code) || CERTIFICATE.test(code);
}

function meaningOf(code: string): Meaning {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return tls('has a TLS certificate for another name: check ehr.baseUrl', false);
  }
  if (/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.test(code)) {
    return tls(
      'has a TLS certificate that is not valid today: it must be renewed there, or the clock here is wrong',
      false,
    );
  }
  if (CERTIFICATE.test(code)) {
    return tls('has a TLS certificate from an unknown authority: name the authority in ehr.tls.ca', false);
  }
  if (REFUSED_BY_ALERT.test(code)) {
    return tls('does not accept our TLS certificate: check ehr.tls.cert and ehr.tls.key', false);
  }
  if (/^ERR_OSSL_/.test(code)) return tls('cannot be called: ehr.tls holds what is no certificate or key', false);
  if (/^(?:EPROTO$|ERR_SSL_|ERR_TLS_)/.test(code)) return tls('could not agree on a TLS connection with us', true);
  if (/^ERR_PROXY_/.test(code)) {
    return { kind: 'proxy', what: 'cannot be reached through the proxy: check ehr.proxy', isPassing: true };
  }
  if (/^HPE_/.test(code)) {
    return {
      kind: 'answer',
      what: 'gave an answer that is no HTTP, or that has far too many headers',
      isPassing: true,
    };
  }
  if (code === 'ENOTFOUND') return network('cannot be found: its name is not known to the DNS');
  if (NEVER_CONNECTED.has(code)) return network('cannot be reached');
  return network('cannot be reached, or broke off the connection');
}

function network(what: string): Meaning {
  return { kind: 'network', what, isPassing: true };
}

function tls(what: string, isPassing: boolean): Meaning {
  return { kind: 'tls', what, isPassing };
}

/** Of the innermost error that has one. Several addresses tried in vain are one error with many inside. */
function codeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return '';
  const inner = 'cause' in thrown ? codeOf(thrown.cause) : '';
  if (inner !== '') return inner;
  if ('code' in thrown && typeof thrown.code === 'string' && thrown.code !== '') return thrown.code;
  return 'errors' in thrown && Array.isArray(thrown.errors) ? codeOf(thrown.errors[0]) : '';
}

function nameOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null && 'name' in thrown ? thrown.name : undefined;
}
