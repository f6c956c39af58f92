// Whether an address carries everything in the open through a network: http, and not to this machine.

export function isPlainAbroad(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.protocol !== 'http:') return false;
  const { hostname } = url;
  return !(hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname));
}
