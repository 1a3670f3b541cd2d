// Words with the same meaning. `|` or a new line ends a group, and `_` joins the words of one name.

export const SAME_WORDS = `
repo repository | pr pull_request merge_request mr | db database | email mail e_mail | msg message | dm direct_message
pic picture photo photograph image img | video clip | vid video | doc document | dir directory folder
config configuration settings setting preferences | env environment | var variable | param parameter argument
app application | auth authentication authorization | login signin sign_in logon log_in
logout signout sign_out log_out | signup sign_up register registration | pwd password passcode passphrase
creds credentials | admin administrator | user account member | org organization organisation company
dept department | mgmt management | info information | spec specification | desc description | stats statistics
calc calculate compute calculation calculator | diff difference compare comparison | max maximum | min minimum
avg average mean | num number | qty quantity | amt amount | temp temperature | approx approximate | lang language
loc location place | geo geographic geographical geolocation location
coords coordinates latitude longitude lat lng lon | addr address | tel telephone phone
mobile cellphone cell_phone smartphone phone | sms text_message | url link uri hyperlink
website site webpage web_page web | web internet online | http request | k8s kubernetes | js javascript
ts typescript | py python | ml machine_learning | ai artificial_intelligence | llm language_model
nlp natural_language text_analysis | ocr text_recognition | tts text_to_speech speech_synthesis
stt speech_to_text transcription transcribe | qr qrcode qr_code | pdf document | csv spreadsheet
xls xlsx excel spreadsheet | ppt pptx powerpoint presentation slides slideshow slide deck | docx word_document
sql query | vm virtual_machine instance | ci continuous_integration pipeline | ip ip_address | dns domain_name
ssl tls certificate | vpn proxy | crypto cryptocurrency bitcoin coin token | btc bitcoin | eth ethereum
nft token collectible | fx forex exchange_rate | usd dollar | eur euro | gbp pound | yt youtube | fb facebook
ig insta instagram | tv television | imdb movie | movie film cinema | song track music | lyric song
singer artist musician band | album record | show series | mins minutes | hrs hours | secs seconds
ad advert advertisement advertising commercial | promo promotion | coupon voucher discount_code promo_code
deal discount offer bargain sale | cheap cheapest affordable inexpensive budget low_cost | expensive costly
price cost pricing fee rate | buy purchase order shop | store shop retailer | product item
shopping ecommerce e_commerce | invoice bill receipt | salary wage pay compensation
job career employment vacancy position occupation | jobs vacancies | resume cv curriculum_vitae
hire recruit hiring recruitment | employee staff worker personnel | boss manager | lawyer attorney legal
law legal legislation legislative | contract agreement | doctor physician | medicine drug medication pharmaceutical
illness disease sickness condition | hospital clinic | workout exercise fitness training | gym fitness
diet nutrition | food meal dish cuisine | recipe cooking cook | restaurant dining eatery | drink beverage
cocktail drink | hotel accommodation lodging stay | apartment flat | house home property real_estate
rent rental lease | car vehicle automobile auto | automotive vehicle car | petrol gas fuel gasoline
flight plane airplane aircraft airline | trip travel journey tour vacation holiday itinerary | traveler tourist
train railway rail | bus transit | subway metro | directions route navigation | map maps mapping cartography
nearby closest nearest | city town municipality | country nation | state province region
zip zipcode zip_code postal_code postcode | weather forecast climate meteorological | rain precipitation
earthquake quake seismic | news headline article | newspaper press | article post | blog post article | book novel
author writer | poem poetry | story tale fiction | joke humor humour funny comedy | quote quotation saying
meme funny | game gaming | player gamer | soccer football | match game fixture | score result
standings league_table ranking | team club squad | nba basketball | nfl football | mlb baseball | nhl hockey
f1 formula_1 racing | horoscope astrology zodiac | tarot divination | dream dreaming | gift present | event happening
concert gig live_music | calendar schedule agenda | meeting appointment | reminder remind alert | task todo to_do
note memo | kid child children | baby infant | teen teenager | pet animal | dog puppy canine | cat kitten feline
university college school | course class lesson curriculum | student learner pupil | teacher tutor instructor
homework assignment | exam test quiz | math maths mathematics mathematical arithmetic
paper research_paper publication study | scholar academic scholarly | science scientific
translate translation translator | dictionary definition vocabulary | synonym thesaurus
grammar proofreading spelling | summary summarize summarise summarization summarizing tldr abstract
rewrite rephrase paraphrase reword | shorten abbreviate | essay article | speech voice | audio sound
transcript subtitles captions caption | logo brand | avatar profile_picture | drawing draw sketch illustration
painting art artwork | diagram chart graph plot visualization visualize visualise | flowchart diagram | color colour
font typeface | code coding program programming software | developer programmer engineer | script code
bug defect error issue | bugfix fix | debug troubleshoot diagnose | deploy deployment release | build compile
release version | library package module dependency | framework library | hosting host | server backend | frontend ui
ui interface | backup copy | restore recover | delete remove erase destroy drop | create add new make
generate create produce | insert add | update edit modify change alter | upgrade update | rename change_name
replace substitute | get fetch retrieve read obtain | list show display enumerate | view show display see
search find lookup look_up query | search discover | browse explore | download save | upload import | export save
send deliver post | share distribute | publish post | reply respond answer | notify alert notification
subscribe follow | unsubscribe unfollow | cancel abort stop | start run launch begin | execute run | restart reboot
pause suspend | enable activate turn_on | disable deactivate turn_off | check verify validate
verify validate confirm | verification validation | monitor track watch | parcel package shipment delivery
shipping shipment delivery courier | convert transform conversion converter | merge combine join
split divide separate | filter select | sort order rank | group cluster | extract parse | scrape crawl extract
analyze analyse analysis analytics insights | evaluate assess assessment evaluation | review feedback opinion
rating score stars | recommend suggest recommendation suggestion | compare versus | encrypt encryption cipher
decrypt decryption | hash checksum digest | compress zip | resize scale | crop trim | screenshot capture snapshot
record recording | permission access privilege | role permission | block ban | spam junk | malware virus threat
vulnerability cve exploit | hack breach | fraud scam | leak breach | stock share equity ticker | portfolio holdings
dividend payout | earnings revenue income | profit margin | invest investment investing investor | trade trading
bank banking | loan credit mortgage | debt loan | tax taxes | insurance policy coverage | budget spending expense
savings saving | money cash funds currency | payment pay transaction | wallet balance | donate donation charity
nonprofit charity | chat conversation messaging | chatbot bot assistant | friend contact | follower subscriber
hashtag tag | trending trend popular | tweet twitter | influencer creator | podcast episode | playlist mix
radio station | stream streaming | anime manga | comic comics | actor actress cast | trailer preview | poster image
lottery lotto | bet betting odds gambling | chess board_game | puzzle riddle trivia | word_game crossword
dice random | username handle | id identifier | key api_key | token access_token | log logs logging | trace tracing
metric metrics measurement | dashboard overview | report summary | issue ticket | bug_report issue | commit revision
branch fork | milestone release | label tag | comment remark | column field | table relation | row record
schema structure | container docker | pod container | queue topic | bucket storage | cloud aws azure gcp
drive storage | form survey questionnaire | survey poll | customer client | lead prospect | crm customer
seo search_engine | marketing promotion | domain hostname | whois domain | carbon emission emissions footprint co2
energy electricity power | solar sun | air_quality pollution aqi | astronomy space | planet astronomy | moon lunar
sunrise sunset | satellite orbit | plant gardening garden | flower plant | wine beer | coffee cafe | beer brewery
calorie calories nutrition | allergy allergen | vegan vegetarian | grocery supermarket groceries
makeup cosmetics beauty | hair hairstyle | outfit clothes clothing fashion wear apparel wardrobe
shoe shoes sneaker footwear | jewelry jewellery | furniture decor interior | gadget device electronics
laptop computer pc | wedding marriage | birthday anniversary | religion religious | bible scripture verse
quran islamic | prayer pray | church parish | history historical past | politics political government
election vote voting | senator congress congressional representative | immigration visa | passport visa
census population demographic demographics | mental therapy psychological | meditation mindfulness relaxation
sleep insomnia | pregnancy pregnant | psychology psychological | personality character | love romance romantic dating
relationship dating | learn study | teach educate instruct | relax unwind | fix repair mend | sell resell
ride taxi cab uber lyft | eat dine | pronounce pronunciation | explain clarify explanation | solve solution solver
predict forecast prediction | detect recognize identify detection recognition identification
classify categorize classification | improve enhance optimize optimise enhancement optimization
motivate motivation inspire inspiration | customize personalize | simulate simulation simulator
talk speak chat converse conversation | entertain entertainment amuse | book reserve booking reservation
automate automation automatic | slogan tagline | scholarship grant funding | regulation compliance | patent trademark
dentist dental | animation animate gif | mentor coach coaching | counselor therapist counseling
emotion sentiment mood | bike bicycle cycling | motorcycle motorbike | truck lorry | boat ship vessel yacht
theater theatre | height elevation altitude | percentage percent | historical history past | antonym opposite
emoji emoticon | timezone time_zone | cron schedule | license licence permit | genealogy ancestry
leaderboard ranking | markdown md | barcode upc ean | vendor supplier seller | valuation worth | etf fund
inflation cpi | electric ev | museum exhibition | hike hiking trek | wildfire fire | flood flooding
australia australian aussie aus | uk united_kingdom britain british england english
usa america american united_states | china chinese | japan japanese | germany german | france french | spain spanish
italy italian | india indian hindi | canada canadian | korea korean | brazil brazilian portuguese | mexico mexican
russia russian | netherlands dutch | sweden swedish | turkey turkish | poland polish | norway norwegian
denmark danish | finland finnish | switzerland swiss | ireland irish | scotland scottish | europe european eu
asia asian | africa african | israel hebrew | arab arabic | vietnam vietnamese | thailand thai | indonesia indonesian
philippines filipino | ukraine ukrainian | greece greek | nyc new_york | christmas xmas
`
