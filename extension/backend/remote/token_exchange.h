// How requests for tokens travel, and ways to get a token that are made of other ways.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "extension/backend/remote/token.h"
#include "extension/backend/remote/transport.h"

namespace table_storage::backend::remote {

/// Sends requests for tokens over connections of their own, with the proxy and the authorities of `options`
/// but shorter times: a token that takes longer than a minute, retries included, is given up. Busy answers
/// (429, 5xx; from the metadata service of a machine 404 and 410 too) are asked again up to three times. The
/// metadata service must answer the connection within a second, since where there is none nobody does.
/// The exchanger throws Error(storage) where no answer comes, with SQLITE_INTERRUPT if `interrupted` says so,
/// and may be called where `interrupted` may.
Exchanger make_exchanger(TransportOptions options, Interrupted interrupted);

/// A token that somebody else renews, in a file or in the environment: `read` is called for each fetch, and
/// what it gives is used for five minutes, or until it is refused.
std::unique_ptr<TokenSource> reread_source(std::string name, std::function<std::string()> read);

/// The first of several sources that gives a token. Throws Error(storage) with what each of them said.
std::unique_ptr<TokenSource> chain_source(std::vector<std::unique_ptr<TokenSource>> sources);

}  // namespace table_storage::backend::remote
