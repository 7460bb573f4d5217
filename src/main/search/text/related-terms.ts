import { lazy } from '#shared/util/lazy.ts'
import { stem } from './stem.ts'
import { fold } from './terms.ts'

/**
 * Technical terms in English and Chinese that the built-in model does not relate, because everyday texts hardly have
 * them. Words before a colon mean the same. Those after it are kinds or products of it: who asks for a database also
 * wants PostgreSQL, but not the other way round. Written for notes on software work.
 */
const technicalTerms = `
api interface endpoint 接口 介面 端点: rest graphql grpc soap webhook | http https web: rest endpoint |
protocol 协议: rest graphql grpc http mqtt | database db datastore 数据库 资料库: postgresql postgres mysql mariadb sqlite mongodb |
sql relational 关系型: postgresql postgres mysql mariadb sqlite | storage 存储 储存: postgresql mysql sqlite s3 |
login signin sso 登录 登陆 登入: authentication oauth oidc keycloak okta auth0 | auth: authentication login oauth oidc jwt sso |
authentication 认证 鉴权 验证: oauth oidc jwt sso keycloak okta login | bug defect 缺陷 故障 |
deploy deployment rollout release 部署 发布 上线 | style styling css 样式: tailwind sass scss bootstrap |
framework 框架: react vue angular svelte tailwind django rails | frontend ui 前端 界面: react vue angular svelte | backend 后端 后台 |
payment billing checkout 支付 付款 收款: stripe paypal adyen alipay 支付宝 |
monitoring observability 监控: grafana prometheus datadog sentry | certificate cert 证书 凭证: tls ssl |
editor 编辑器: monaco codemirror vscode vim | queue broker 队列 中间件: rabbitmq kafka sqs | cache 缓存 快取: redis memcached | backup 备份 |
test testing 测试: playwright cypress jest vitest pytest | language 语言: typescript javascript python rust kotlin |
cloud hosting 云 主机 托管: aws azure gcp vercel | container 容器: docker kubernetes | server 服务器 伺服器 | export 导出 汇出 |
import 导入 汇入 | renew renewal 续期 续签 | chart graph 图表 | account 账号 账户 帐号 | interview 面试 | meeting 会议 例会 | contact 联系人 |
designer design 设计 设计师 | documentation docs 文档 | deadline 截止 | invoice 发票 账单 | customer client 客户 | project 项目 |
index 索引 | permission 权限 | upgrade 升级 | migration migrate 迁移
`

const related = lazy(() => {
  const byWord = new Map<string, Set<string>>()
  for (const row of fold(technicalTerms).split('|')) {
    const [same = [], kinds = []] = row.split(':').map((words) => words.trim().split(' '))
    for (const word of same) {
      const others = byWord.get(stem(word)) ?? new Set()
      for (const other of [...same, ...kinds]) if (other !== word) others.add(other)
      byWord.set(stem(word), others)
    }
  }
  return byWord
})

/** Returns the technical terms that a word stands for. */
export function relatedTerms(word: string): readonly string[] {
  return [...(related().get(stem(fold(word))) ?? [])]
}

/** Returns the longest technical term, of two to four characters, at an offset of a folded Chinese text. */
export function technicalTermAt(text: string, at: number): string | undefined {
  return [4, 3, 2].map((length) => text.slice(at, at + length)).find((term) => term.length > 1 && related().has(term))
}
