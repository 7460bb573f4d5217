import { BlockList, isIP } from 'node:net'

const nonPublicRanges = new BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  nonPublicRanges.addSubnet(address, bits, 'ipv4')

/** Globally routable IPv6 addresses. `nonPublicRanges` excludes the parts that are reserved or embed IPv4 addresses. */
const globalIpv6Ranges = new BlockList()
globalIpv6Ranges.addSubnet('2000::', 3, 'ipv6')
for (const [address, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  nonPublicRanges.addSubnet(address, bits, 'ipv6')

/** Returns true for an IP address (without brackets) that is not loopback, private, link-local or reserved. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !nonPublicRanges.check(address, 'ipv4')
  return version === 6 && globalIpv6Ranges.check(address, 'ipv6') && !nonPublicRanges.check(address, 'ipv6')
}
