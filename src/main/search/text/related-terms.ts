import taiwanWords from 'opencc-js/dict/TWPhrases'
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

/** Words for kin, food, health, money and home that the built-in model relates too little: regional and household words. */
const everydayTerms = `
dad father daddy papa 爸爸 爸 老爸 父亲 阿爸 | mom mum mother mommy mummy mama 妈妈 妈 老妈 母亲 阿妈 |
parents 爸妈 父母: dad father mom mum mother 爸爸 妈妈 | grandma grandmother granny: 奶奶 外婆 姥姥 | grandpa grandfather granddad: 爷爷 外公 姥爷 |
奶奶 祖母 阿嬷 | 外婆 姥姥 外祖母 阿嬷 | 爷爷 祖父 阿公 | 外公 姥爷 外祖父 阿公 | wife spouse 老婆 太太 妻子 | husband spouse 老公 丈夫 |
partner: wife husband girlfriend boyfriend | child kid 孩子 小孩: son daughter baby 儿子 女儿 宝宝 | son 儿子 | daughter 女儿 闺女 |
baby newborn infant 宝宝 婴儿 | sibling: brother sister | brother: 哥哥 弟弟 | sister: 姐姐 妹妹 | 哥哥 大哥 老哥 | 弟弟 老弟 | 姐姐 老姐 姊姊 | 妹妹 老妹 |
aunt auntie 阿姨 | uncle 叔叔 | 岳父 丈人 | 岳母 丈母娘 |
allergy allergic allergen 过敏 过敏原: intolerant intolerance epipen 不耐受 | eat diet: allergic allergy intolerant intolerance vegetarian vegan |
能吃 不能吃 可以吃 不可以吃 能喝 不能喝: 过敏 不耐受 忌口 吃素 吃 喝 | 忌口: 过敏 不耐受 不能吃 不吃 | vegetarian veggie 吃素 素食 |
shellfish 海鲜 贝类: shrimp prawn crab lobster mussel 虾 蟹 | shrimp prawn 虾: shellfish 海鲜 | crab 螃蟹: shellfish 海鲜 | peanut groundnut 花生: nut 坚果 |
almond 杏仁: nut 坚果 | walnut 核桃: nut 坚果 | cashew 腰果: nut 坚果 | hazelnut 榛子: nut 坚果 | nut 坚果: peanut almond walnut cashew hazelnut 花生 核桃 杏仁 腰果 |
dairy lactose 乳糖 乳制品: milk cheese yogurt cream 牛奶 奶酪 | milk 牛奶: dairy lactose 乳糖 乳制品 | gluten celiac coeliac 麸质: wheat bread 小麦 | wheat bread 小麦: gluten celiac 麸质 | cilantro coriander 香菜 芫荽 |
eggplant aubergine 茄子 | zucchini courgette 西葫芦 | arugula rocket 芝麻菜 | chickpea garbanzo 鹰嘴豆 | 土豆 马铃薯 洋芋 | 西红柿 番茄 | 菠萝 凤梨 | 猕猴桃 奇异果 kiwi |
番石榴 芭乐 guava | 酸奶 优格 优酪乳 yogurt yoghurt | 奶酪 起司 乳酪 芝士 cheese | 三文鱼 鲑鱼 salmon | 金枪鱼 鲔鱼 tuna | 红薯 地瓜 番薯 | 外卖 外送 takeaway takeout |
medication medicine meds drug pill tablet prescription 药物 吃药 服药 | penicillin amoxicillin 青霉素 盘尼西林 | antibiotic 抗生素: penicillin amoxicillin 青霉素 阿莫西林 头孢 |
painkiller 止痛药: ibuprofen paracetamol aspirin 布洛芬 | ibuprofen advil nurofen 布洛芬 | paracetamol acetaminophen tylenol 扑热息痛 普拿疼 |
doctor gp physician 医生 大夫 医师 | dentist 牙医 牙科 | emergency ambulance 急诊 急救 | vaccine vaccination shot jab immunization 疫苗 预防针 | asthma inhaler 哮喘 气喘 |
diabetes diabetic insulin 糖尿病: 血糖 | hypertension 高血压: 血压 | pregnant pregnancy 怀孕 有孕 | menstruation 例假 月经 生理期 | 发烧 发热 fever | diarrhea 拉肚子 腹泻 |
headache migraine 头痛 头疼 偏头痛 | surgery operation 手术 开刀 | checkup 体检 健检 | pharmacy drugstore chemist 药店 药房 药局 | glasses spectacles 眼镜 | 打针 注射 |
salary wage paycheck 工资 薪水 薪资 | rent 房租 租金 月租 | landlord landlady 房东 | mortgage 房贷 | debt owe lend lent borrow 欠钱 欠款 借钱 | deposit 押金 | insurance 保险 保单 |
银行卡 提款卡 金融卡 储蓄卡 | 医保卡 健保卡 | 罚单 罚款 | bill 账单 帐单 | tax 税 报税 | refund 退款 |
apartment flat 公寓 | elevator lift 电梯 | garbage trash rubbish bin 垃圾 | faucet tap 水龙头 | sofa couch 沙发 | closet wardrobe 衣柜 | fridge refrigerator 冰箱 | aircon 空调 冷气 |
boiler furnace 暖气 锅炉 | fuse breaker 电闸 保险丝 总闸 | stove cooker hob 灶台 炉子 | plumber 水管工 水电工 | taxi cab 出租车 计程车 | bike bicycle 自行车 单车 脚踏车 |
motorcycle motorbike 摩托车 机车 | subway metro underground 地铁 捷运 | bus 公交 公车 巴士 | gasoline petrol fuel 汽油 加油 | vacation holiday 假期 度假 | 车位 停车位 |
充电宝 行动电源 powerbank | 优盘 随身碟 | 打印机 印表机 printer | parcel package 快递 包裹 宅配 | kindergarten daycare nursery 幼儿园 幼稚园 | 地址 位址 住址 | 质量 品质 | 方便面 泡面 |
保质期 保存期限 | 洗发水 洗发精 | 圆珠笔 原子笔 | 卡车 货车 | 卷心菜 高丽菜 包菜 | 创可贴 OK绷 | 盒饭 便当 | 宾馆 饭店 旅馆 | 摄像头 镜头 | vet 兽医 宠物医院 | licence license 驾照 驾驶证
`

function rowsOf(table: string): Map<string, Set<string>> {
  const byWord = new Map<string, Set<string>>()
  for (const row of fold(table).split('|')) {
    const [same = [], kinds = []] = row.split(':').map((words) => words.trim().split(' '))
    for (const word of same) {
      const others = byWord.get(stem(word)) ?? new Set()
      for (const other of [...same, ...kinds]) if (other !== word) others.add(other)
      byWord.set(stem(word), others)
    }
  }
  return byWord
}

const technical = lazy(() => rowsOf(technicalTerms))
const related = lazy(() => rowsOf(`${technicalTerms}|${everydayTerms}|${taiwanWords}`))

export function isTechnicalTerm(word: string): boolean {
  return technical().has(stem(fold(word)))
}

/** Returns the words of the tables that a word stands for. */
export function relatedTerms(word: string): readonly string[] {
  return [...(related().get(stem(fold(word))) ?? [])]
}

/** Returns the longest word of the tables, of two to four characters, at an offset of a folded Chinese text. */
export function tableTermAt(text: string, at: number): string | undefined {
  return [4, 3, 2].map((length) => text.slice(at, at + length)).find((term) => term.length > 1 && related().has(term))
}
