/**
 * Japanese words that say little about what a question is about. Written for questions put to one's own notes and
 * compared with the Japanese list of stopwords-iso 1.1.0 (MIT), which has hardly any question words.
 */

/** Function words and question words: a search looks for them only when it has nothing else. */
export const japaneseFunctionWords = `
の に は を た が で て と し れ さ ある いる も する から な こと として い や など なっ ない この ため その あっ よう また もの という あり まで られ なる へ か だ これ によって により おり より による
ず なり られる において ば なかっ なく しかし について せ だっ その後 できる それ う ので なお のみ でき き つ における および いう さらに でも ら たり その他 に関する たち ます ん なら です でし ました ましょ
ませ まし ね よ わ ぞ ぜ さん くん ちゃん さま 様 氏 どう どうやって どうして なぜ なに なん 何 何が 何を 何の 何か 何で どこ どこで どこに どこの どこへ いつ いつも いつから いつまで 誰 だれ 誰が 誰の 誰と 誰に
どの どれ どちら どっち どんな どのくらい どれくらい どれぐらい どのぐらい いくら いくつ 幾つ 何時 何日 何月 何年 何回 何人 何階 何個 何歳 何度 何曜日 何本 何枚 何番 何色
私 僕 俺 あなた 君 彼 彼女 私たち 僕たち 我々 うち 自分 みんな ここ そこ あそこ あの あれ そんな こんな けど けれど でしょう だろう かな かも っけ って とか だけ しか ほど くらい ぐらい ながら
した して します する しない される され ました だっけ でしたっけ ですか ますか だった でした なに 何分 何時間 何日間 何週間 教えて 教え ください 下さい 知りたい 思い出せ 覚え ほしい 欲しい たい 行っ 行く 来る 来 言っ 言う 言い 思う 思っ 思い なら 的 方 時 とき 頃 ごろ 中 上 下 前 後
い る り く け こ え お あ み め む っ ー
`

/** What a question asks with, whatever it is about: such words weigh little, found or not. */
export const japaneseFillerWords = `
名前 番号 場所 担当 理由 原因 方法 仕方 直し方 やり方 こと 件 話 内容 詳細 予定 最近 前回 次回 今回 今日 昨日 明日 先月 来月 今月 先週 来週 今週 去年 来年 今年 全部 最後 最初 一番 好き 人 物 所 年 月 日
値段 いい 良い 使っ 使う 使い 決め 決まっ 始め 終わっ 買っ もらっ くれ 見 見る 食べ 飲ん 飲む 何し しよう つもり たぶん 確か
`
