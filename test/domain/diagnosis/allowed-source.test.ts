import { describe, expect, it } from '@jest/globals';
import { makeIsAllowedSource } from '../../../src/domain/diagnosis/allowed-source.ts';

const isAllowed = makeIsAllowedSource(['nice.org.uk', 'who.int', 'xn--saud-epa.example']);

describe('A link of a diagnosis', () => {
  it.each([
    'https://nice.org.uk',
    'https://www.nice.org.uk/guidance/ng185',
    'https://WWW.NICE.org.uk/guidance/ng185?tab=evidence&x=1#section-2',
    'https://apps.who.int/iris/handle/10665/(3)',
    'HTTPS://who.int/',
    'https://xn--saud-epa.example/guia',
  ])('is allowed for a publisher on the list: %s', (url) => {
    expect(isAllowed(url)).toBe(true);
  });

  it.each([
    ['another host', 'https://example.org/nice.org.uk'],
    ['a host that only ends alike', 'https://evilnice.org.uk/x'],
    ['a host that only begins alike', 'https://nice.org.uk.evil.example/x'],
    ['a parent domain', 'https://org.uk/x'],
    ['no https', 'http://nice.org.uk/x'],
    ['no scheme', 'www.nice.org.uk/x'],
    ['no scheme but two slashes', '//nice.org.uk/x'],
    ['a program', 'javascript:alert(1)//nice.org.uk'],
    ['a user', 'https://nice.org.uk@evil.example/x'],
    ['a user on the list', 'https://user:pw@nice.org.uk/x'],
    ['a port', 'https://nice.org.uk:8443/x'],
    ['the usual port', 'https://nice.org.uk:443/x'],
    ['a backslash', 'https://nice.org.uk\\@evil.example'],
    ['an address in numbers', 'https://127.0.0.1/x'],
    ['an address in brackets', 'https://[::1]/x'],
    ['a number as a host', 'https://2130706433/x'],
    ['letters of another script', 'https://nic\u0435.org.uk/x'],
    ['letters of another script in the path', 'https://nice.org.uk/gu\u0456dance'],
    ['a subdomain in another script', 'https://xn--nce-bma.nice.org.uk/x'],
    ['a subdomain of a host in another script', 'https://a.xn--saud-epa.example/x'],
    ['a dot behind the host', 'https://nice.org.uk./x'],
    ['a space', 'https://nice.org.uk/a b'],
    ['a space before it', ' https://nice.org.uk/a'],
    ['a line end', 'https://nice.org.uk/a\nb'],
    ['markup', 'https://nice.org.uk/<script>'],
    ['a quote', 'https://nice.org.uk/"onclick='],
    ['more than 300 characters', `https://nice.org.uk/${'a'.repeat(281)}`],
    ['nothing', ''],
  ])('is not allowed with %s', (_what, url) => {
    expect(isAllowed(url)).toBe(false);
  });

  it('is never allowed without a list', () => {
    expect(makeIsAllowedSource([])('https://nice.org.uk')).toBe(false);
  });
});
