"""A correction is told from its form, English and Chinese, so that it is read at once."""

from __future__ import annotations

import time

import pytest

from assistant.agent.corrections import corrects

CORRECTIONS = """
No, Porto.
No. Porto.
It's Porto, not Lisbon.
That's wrong, I live in Porto.
You got that wrong: Porto.
I changed my mind, it is 7 hours
Correct that: 7 hours
Actually it is 7 hours.
I meant Porto.
I moved to Porto.
I live in Porto now.
My new address is 5 Elm St.
你记错了，我住波尔图。
不对，是波尔图。
我搬到深圳了。
我现在住在波尔图。
"""
OTHERS = """
No problem, thanks!
No, thanks
No.
Not sure what to cook.
Wait, what time is it?
Sorry to bother you, what is 2+2?
I have no dog.
Nobody knows.
我住在杭州。
其实我不知道吃什么
它应该是下雨吧
"""
# Written before the patterns were tried on them, which then read 53 of these 69 rightly.
MORE_CORRECTIONS = """
Sorry, my sister's name is Ana, I mistyped.
It's not 6 hours, it's 7.
You've mixed that up, my dog is Rex and my cat is Tom.
Nope, she studies in Coimbra.
I've switched from tea to coffee.
I used to live in Lisbon but now I'm in Porto.
Oh wait, the exam is on Friday.
说错了，是八小时。
我的预算改成八千了。
不，她在南京上学。
我已经不在医院工作了。
Please update my phone number to 555 1234.
No, she is called Ana.
That isn't right: I have two children.
Please correct my birthday, it is 14 May.
Sorry, 7 hours, not 6.
I've since moved to Braga.
My budget has changed, it's 3000 euros now.
I quit that job; I work at a school now.
Wrong, my dog is four.
我改主意了，每周学八小时。
应该是五月十四日。
我说的是苏州，不是杭州。
你搞错了，我没有狗。
现在我在上海工作。
更正：预算是八千元。
I said Tuesday, but it's Wednesday.
No no, my sister, not my brother.
Actually, my rent went up to 980.
You misunderstood, I don't eat fish.
I gave you the wrong date: it's 3 June.
Not Monday, Tuesday.
We moved house; our address is 9 Oak Road.
不是三点，是四点。
我刚才说错了，妹妹在南京。
以后改为每周五天。
等一下，应该是六月。
我换工作了，现在在学校教书。
"""
MORE_OTHERS = """
Not bad, how about you?
Actually, could you explain that again?
No need to hurry.
Well, that was fun.
不是很明白，再说一遍好吗？
Sorry, I was away for lunch.
No way, that's amazing!
等等我想想。
No, that's all for today.
Not now, maybe later.
Wait a moment please.
Actually that's a great idea.
Is it wrong to eat late?
No idea what you mean.
Sorry, I don't get it.
不用了，谢谢。
不错，挺好的。
我不是很累。
是不是要下雨了？
No news is good news.
Sorry, what did you say?
Hold on, let me check.
I actually enjoyed it.
Nothing new today.
My new book is on the table, can you see it?
不对称加密是什么？
等等再说吧。
我应该怎么办？
不客气。
Wait for me at noon.
Correct!
"""


@pytest.mark.parametrize("text", filter(None, (CORRECTIONS + MORE_CORRECTIONS).splitlines()))
def test_what_corrects_or_replaces_is_a_correction(text: str) -> None:
    """Whether it denies, says what is wrong, or says what is so from now on."""
    assert corrects(text)


@pytest.mark.parametrize("text", filter(None, (OTHERS + MORE_OTHERS).splitlines()))
def test_what_only_begins_like_one_is_none(text: str) -> None:
    """Thanks, questions, refusals and small talk."""
    assert not corrects(text)


def test_a_long_text_takes_no_time() -> None:
    """A pasted page without a full stop is not searched to its end."""
    start = time.monotonic()
    assert not corrects("it, i said, my " * 20_000)
    assert time.monotonic() - start < 1
