import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openSecretsIn, withPrivateSecrets } from '../../../src/shared/markdown/visibility-edit.ts'
import { secretsIn, type SecretKind } from '../../../src/shared/util/secrets.ts'

const body = 'Ab3dEfGh1jKlMn0pQrStUvWxYz45'

/** Joined at run time, so that no scanner takes this file for a leak. */
const secrets: Record<SecretKind, readonly string[]> = {
  key: [
    `OpenAI: ${'sk'}-proj-${body}`,
    `${'gh'}p_${body}${body}`,
    `the AWS id ${'AK'}IAIOSFODNN7EXAMPLE`,
    `${'xox'}b-123456789012-${body}`,
    `${'AI'}za${body}${body}`,
    `${'ey'}J${body}.${'ey'}J${body}.${body}`,
    '-  export TOKEN=s3cr3t-value',
    '+++ DATABASE_PASSWORD="hunter2!"',
    `The API key is ${body}.`,
    '-----BEGIN OPENSSH PRIVATE KEY-----',
  ],
  password: [
    'WiFi password: hunter2',
    '- password: swordfish',
    'Passwort: geheim99',
    'password `correct-horse9`',
    'PIN: 0815',
    'card PIN 9931',
    '银行卡密码 4711',
    '暗証番号は4711',
    'pin code 0042',
    'the wifi password at the office is lamp-77',
    'Alarm code 8832 for the house',
    'PIN for the bank card 4471',
    'my recovery code is 4F2K-9QPL',
    '门禁码 2580#',
    'The code for the bike shed is 4519',
    'Our alarm code is 1966',
    'guest network key is apple-pie-7',
    '家里 wifi 密码改成 sunny2020',
    'Wi-Fi 密码：huaishuli502',
    '門鎖密碼是 829301',
    '密码 Abc12345',
    'postgres://admin:s3cret@db.example.org/app',
  ],
  card: [
    'Visa 4111 1111 1111 1111, 12/27',
    'Amex 378282246310005',
    '银联卡 6222021234567890128',
    '5555-5555-5555-4444',
  ],
  account: ['DE89 3704 0044 0532 0130 00', 'IBAN: GB82WEST12345698765432', 'FR1420041010050500013M02606'],
}

const ordinary = [
  'The password is in the vault',
  'I forgot the password again.',
  'Password: 1Password',
  'The door code changed in 2026',
  '密码用 argon2 加密',
  'the code for the new parser is 300 lines',
  'password: see the note of Callum',
  '门锁密码每三个月换一次',
  '登录 token 有效期七天',
  'The context has 128000 tokens; token: 4096',
  'Pin 3 of the plug is earth',
  'sk-learn-something-with-a-long-name',
  'export TOKEN=$GITHUB_TOKEN',
  'OPENAI_API_KEY=your-key-here',
  'Order 4111 1111 1111 1112 arrived',
  'ISBN 9783161484100, EAN 4006381333931',
  'commit 4484adc3b45c4396632611556055f3b2f5990aaa',
  '+49 30 1234 5678 9012',
  'DE89 3704 0044 0532 0130 01 has a wrong checksum',
  '-----BEGIN CERTIFICATE-----',
]

describe('secretsIn', () => {
  for (const [kind, lines] of Object.entries(secrets))
    it.each(lines)(`finds a ${kind} in: %s`, (line) => {
      expect(secretsIn(line)).toEqual([{ kind, line: 0 }])
      expect(secretsIn(`A note\n\n${line}\r\nand more`)).toEqual([{ kind, line: 2 }])
    })

  it.each(ordinary)('finds nothing in: %s', (line) => expect(secretsIn(line)).toEqual([]))

  it('finds all lines of a private key, and none after it', () => {
    const block = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${body}\n${body}==\n-----END RSA PRIVATE KEY-----`
    const lines = secretsIn(`Key of the server:\n${block}\nThat was it`).map(({ line }) => line)
    expect(lines).toEqual([1, 2, 3, 4, 5, 6])
    expect(secretsIn('The file starts with -----BEGIN PRIVATE KEY-----\nand so on\nfor long')).toHaveLength(1)
  })

  it('finds only secrets in ordinary notes', () => {
    const recall = fileURLToPath(new URL('../../recall/', import.meta.url))
    const lines = globSync(`${recall}*/workspace/**/*.md`).flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    expect(lines.length).toBeGreaterThan(1000)
    const found = lines.filter((line) => secretsIn(line).length > 0)
    expect(found.filter((line) => !/2580#|4718|密码锁：2816/.test(line))).toEqual([])
  })

  // Quadratic time would take longer than the limit of a test.
  it('takes linear time for long lines', () => {
    for (const unit of ['A', '1', 'password ', 'API_', '4 ', 'DE89 ', 'x:', 'sk-', '= ', 'pin '])
      expect(secretsIn(`${unit.repeat(100_000 / unit.length)} `)).toBeInstanceOf(Array)
  })
})

describe('private secrets', () => {
  const note = '- Wi-Fi password: hunter2\n- The router is in the hall\n\nPIN: 0815\n'

  it('marks the lines with secrets only', () => {
    const marked = withPrivateSecrets(note)
    expect(marked).toBe('- Wi-Fi password: hunter2 ^[private]\n- The router is in the hall\n\nPIN: 0815 ^[private]\n')
    expect(openSecretsIn(note)).toHaveLength(2)
    expect(openSecretsIn(marked)).toEqual([])
    expect(withPrivateSecrets(marked)).toBe(marked)
    expect(withPrivateSecrets('no secret\n')).toBe('no secret\n')
  })
})
